import fc from 'fast-check'
import { expect, test } from 'vitest'
import { observeDatabase } from '../../testing/databases/observe.ts'
import { openQueue, start } from '../../testing/jobs.ts'
import { mailStates, note, noteJob, withMail } from '../../testing/mail.ts'
import { type SmtpReaction, type SmtpStandIn, startSmtp } from '../../testing/stand-ins/smtp.ts'
import type { RootDeps } from '../deps.ts'
import { runDueJobs } from '../jobs/run-jobs.ts'

/** What happens while a message is being accepted: a reaction of the server, or the end of the process. */
type Fate = SmtpReaction | 'crash before acceptance' | 'crash after acceptance'

type Action =
  | { do: 'queue'; event: number; process: number }
  | { do: 'run'; processes: readonly number[]; recipients: SmtpReaction; fates: readonly Fate[] }
  | { do: 'turn the clock'; seconds: number }

const fate = fc.constantFrom<Fate>(
  ...(['accept', 'accept', 451, 554, 'drop', 'accept and drop', 'crash before acceptance'] as const),
  'crash after acceptance',
)

const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ do: fc.constant('queue' as const), event: fc.nat({ max: 5 }), process: fc.nat({ max: 1 }) }),
  fc.record({
    do: fc.constant('run' as const),
    processes: fc.constantFrom([0], [1], [0, 1]),
    recipients: fc.constantFrom<SmtpReaction>('accept', 'accept', 'accept', 450, 550, 'drop'),
    fates: fc.array(fate, { maxLength: 4 }),
  }),
  fc.record({ do: fc.constant('turn the clock' as const), seconds: fc.constantFrom(5, 60, 3600) }),
)

interface Process {
  deps: RootDeps
  kill(): void
}

/** Starts a process. After `kill` none of its statements reaches the database. */
function startProcess(deps: RootDeps, smtp: SmtpStandIn, name: number): Process {
  let isAlive = true
  const db = observeDatabase(deps.db, () => {
    if (!isAlive) throw new Error('killed')
  })
  // The sender names the process to the SMTP server.
  const settings = { ...smtp.settings, from: { address: `process-${name}@example.test` } }
  return {
    deps: withMail({ ...deps, db }, { settings }),
    kill: () => {
      isAlive = false
    },
  }
}

test('random crashes and replies of the server never send two messages for one event', async () => {
  const smtp = await startSmtp()
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 30 }), async (actions) => {
      const clock = { now: start }
      const { deps } = await openQueue({ clock })
      smtp.received.length = 0
      const processes = [0, 1].map((name) => startProcess(deps, smtp, name))
      const turn = (seconds: number) => {
        clock.now = new Date(Date.parse(clock.now) + seconds * 1000).toISOString()
      }
      const run = async (names: readonly number[], recipients: SmtpReaction, fates: readonly Fate[]) => {
        const left = [...fates]
        smtp.atRecipient = () => recipients
        smtp.atMessage = ({ headers }) => {
          const next = left.shift() ?? 'accept'
          if (next !== 'crash before acceptance' && next !== 'crash after acceptance') return next
          processes[Number(/process-(\d)/.exec(headers['from'] ?? '')?.[1])]?.kill()
          return next === 'crash after acceptance' ? 'accept' : 'drop'
        }
        const runs = names.flatMap((name) => processes[name] ?? []).map(({ deps }) => runDueJobs(deps, [noteJob]))
        const ended = await Promise.allSettled(runs)
        ended.forEach((end, index) => {
          const name = names[index] ?? 0
          if (end.status === 'fulfilled') return
          expect(String(end.reason)).toContain('killed')
          processes[name] = startProcess(deps, smtp, name)
        })
      }

      for (const one of actions) {
        if (one.do === 'turn the clock') turn(one.seconds)
        else if (one.do === 'run') await run(one.processes, one.recipients, one.fates)
        else await note(processes[one.process]?.deps ?? deps, `event ${one.event}`)
      }
      for (let round = 0; round < 4; round++) {
        turn(3600)
        await run([0, 1], 'accept', [])
      }

      const states = await mailStates(deps)
      for (const [event, state] of Object.entries(states)) {
        const total = smtp.received.filter(({ headers }) => headers['subject'] === event).length
        expect({ event, state, total }).toEqual({
          event,
          state,
          total: state === 'sent' ? 1 : state === 'failed' ? 0 : total,
        })
        expect(['sent', 'failed', 'unknown']).toContain(state)
        expect(total).toBeLessThanOrEqual(1)
      }
    }),
    { numRuns: 12 },
  )
}, 120_000)
