import fc from 'fast-check'
import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { unavailable } from '../../platform/failure.ts'
import { openQueue, start } from '../../testing/jobs.ts'
import type { RootDeps } from '../deps.ts'
import { type Claimed, dispatch } from './dispatch.ts'
import { type AnyJobKind, enqueue, jobKind } from './job.ts'
import { getJob, runJobAgain } from './jobs.ts'
import { openLeases } from './leases.ts'
import { runJob } from './run-job.ts'
import { freeCapacity, runDueJobs } from './run-jobs.ts'

type Action =
  | { do: 'queue'; key: string | undefined; owner: string | undefined; lane: string; delay: number }
  | { do: 'claim'; process: number }
  | { do: 'end'; how: 'finish' | 'fail' | 'meet an outage'; which: number }
  | { do: 'crash'; process: number }
  | { do: 'turn the clock'; seconds: number }
  | { do: 'run again'; which: number }

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('queue' as const),
      key: fc.constantFrom('k', 'l', 'm', undefined),
      owner: fc.constantFrom('a', 'b', undefined),
      lane: fc.constantFrom('step', 'small'),
      delay: fc.constantFrom(0, 0, 0, 40),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('claim' as const), process: fc.nat({ max: 1 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('end' as const),
      how: fc.constantFrom('finish' as const, 'finish' as const, 'fail' as const, 'meet an outage' as const),
      which: fc.nat(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('crash' as const), process: fc.nat({ max: 1 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('turn the clock' as const),
      seconds: fc.constantFrom(5, 20, 60, 3600, -3600),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('run again' as const), which: fc.nat() }) },
)

const stepKind = (run: () => Promise<undefined>): AnyJobKind =>
  jobKind({
    kind: 'step',
    concurrency: 2,
    perOwner: 2,
    lanes: { small: { concurrency: 1, perOwner: 1 } },
    maxAttempts: 2,
    run,
  })

/** Model of two processes that share a queue. */
interface Model {
  deps: RootDeps
  clock: { now: string }
  queued: number[]
  running: { process: number; claimed: Claimed }[]
}

async function step(model: Model, action: Action): Promise<void> {
  if (action.do === 'queue') await queue(model, action)
  else if (action.do === 'claim') await claim(model, action.process)
  else if (action.do === 'end') await end(model, action)
  else if (action.do === 'crash') model.running = model.running.filter(({ process }) => process !== action.process)
  else if (action.do === 'turn the clock') turnTheClock(model, action.seconds)
  else await runAgain(model, action.which)
  await check(model)
}

async function queue(model: Model, { key, owner, lane, delay }: Extract<Action, { do: 'queue' }>): Promise<void> {
  const runAt = new Date(Date.parse(model.clock.now) + delay * 1000).toISOString()
  const rest = { ...(key && { key }), ...(owner && { owner }), ...(delay > 0 && { runAt }) }
  model.queued.push(await enqueue(model.deps, { kind: 'step', payload: {}, lane, ...rest }))
}

async function claim(model: Model, process: number): Promise<void> {
  const kind = stepKind(async () => undefined)
  const own = model.running.filter((one) => one.process === process)
  const free = freeCapacity(
    [kind],
    own.map(({ claimed: { job } }) => job.lane ?? job.kind),
  )
  const held = new Set(model.running.map(({ claimed }) => claimed.token))
  // A live process renews its leases, whatever the clocks show.
  const isAbandoned = ({ lease }: { lease: string | null }) => lease === null || !held.has(lease)
  const { claimed } = await dispatch(model.deps, [kind], { free, isAbandoned })
  model.running.push(...claimed.map((one) => ({ process, claimed: one })))
}

async function end(model: Model, { how, which }: Extract<Action, { do: 'end' }>): Promise<void> {
  const [one] = model.running.splice(which % Math.max(1, model.running.length), 1)
  if (!one) return
  const kind = stepKind(async () => {
    if (how === 'fail') throw new Error('failed')
    if (how === 'meet an outage') throw unavailable('the store')
    return undefined
  })
  const leases = openLeases(model.deps)
  await runJob(model.deps, { ...one.claimed, kind }, leases, new AbortController().signal)
  leases.close()
}

function turnTheClock(model: Model, seconds: number): void {
  model.clock.now = new Date(Date.parse(model.clock.now) + seconds * 1000).toISOString()
}

async function runAgain(model: Model, which: number): Promise<void> {
  const id = model.queued[which % Math.max(1, model.queued.length)]
  if (id !== undefined) await runJobAgain(model.deps, id).catch(() => {})
}

async function check(model: Model): Promise<void> {
  const keys = model.running.map(({ claimed }) => claimed.job.key).filter((key) => key !== null)
  expect(new Set(keys).size).toBe(keys.length)
  const owners = model.running.map(({ claimed: { job } }) => `${job.owner} ${job.lane}`)
  const ofOwner = (name: string) => owners.filter((owner) => owner === name).length
  expect(ofOwner('a step')).toBeLessThanOrEqual(2)
  expect(ofOwner('a small')).toBeLessThanOrEqual(1)
  const row = await model.deps.db.one<{ total: number }>(sql`select count(*) as total from jobs`)
  expect(row?.total).toBe(model.queued.length)
}

/** Asserts that every job that did not fail has run, in id order per key. */
async function settle(model: Model): Promise<void> {
  model.running.length = 0
  const ended: number[] = []
  const kind = jobKind({
    ...stepKind(async () => undefined),
    run: async (_deps: RootDeps, { id }: { id: number }) => {
      ended.push(id)
      return undefined
    },
  })
  for (let round = 0; round < 4; round++) {
    turnTheClock(model, 3600)
    await runDueJobs(model.deps, [kind])
  }
  const jobs = await Promise.all(model.queued.map((id) => getJob(model.deps, id)))
  for (const job of jobs) expect(['finished', 'failed']).toContain(job.state)
  for (const name of ['k', 'l', 'm']) {
    const ofKey = ended.filter((id) => jobs.find((job) => job.id === id)?.key === name)
    expect(ofKey).toEqual([...ofKey].sort((a, b) => a - b))
  }
}

test('random sequences of processes, crashes and clock changes run every job, and never two with one key', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 40 }), async (actions) => {
      const clock = { now: start }
      const { deps } = await openQueue({ clock })
      const model: Model = { deps, clock, queued: [], running: [] }
      for (const one of actions) await step(model, one)
      await settle(model)
    }),
    { numRuns: 25 },
  )
}, 120_000)
