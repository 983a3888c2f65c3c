import fc from 'fast-check'
import { expect, test } from 'vitest'
import { historyOf, vulnerabilitiesOf } from '../../../testing/reports/imports.ts'
import { entry, sastReport } from '../../../testing/reports/reports.ts'
import { startServer } from '../../../testing/server.ts'

const flaws = [0, 1, 2, 3]
/** One scanner finds the even flaws, the other one the odd ones. */
const scannerOf = (flaw: number) => (flaw % 2 === 0 ? 'even' : 'odd')

const step = fc.oneof(
  fc.record({
    kind: fc.constant('import' as const),
    ref: fc.constantFrom('main', 'feature'),
    scanner: fc.constantFrom('even', 'odd'),
    found: fc.subarray(flaws),
  }),
  fc.record({
    kind: fc.constant('triage' as const),
    flaw: fc.constantFrom(...flaws),
    action: fc.constantFrom('confirm', 'resolve', 'dismiss', 'revert'),
  }),
)
const states: Record<string, string> = {
  confirm: 'confirmed',
  resolve: 'resolved',
  dismiss: 'dismissed',
  revert: 'detected',
}

/** Expected state of a flaw. */
interface Expected {
  state: string
  isGone: boolean
  isOn: Record<string, boolean | undefined>
  history: string[]
}

test('random sequences of imports by two scanners on two refs and of triage give the results of the model', async () => {
  const server = await startServer()
  let projects = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      const project = await server.project(`acme/histories-${++projects}`, { maxAbsentPercent: null })
      const entryOf = (flaw: number) => entry({ name: `Flaw ${flaw}`, line: flaw + 1, rule: `r${flaw}` })
      for (const scanner of ['even', 'odd']) {
        const own = flaws.filter((flaw) => scannerOf(flaw) === scanner)
        await server.report(project, sastReport(own.map(entryOf), scanner))
      }
      const start = await vulnerabilitiesOf(server, project)
      const expected = flaws.map((): Expected => {
        return { state: 'detected', isGone: false, isOn: { main: true }, history: ['created'] }
      })
      for (const step of steps) {
        if (step.kind === 'triage') {
          const flaw = expected[step.flaw] as Expected
          const to = states[step.action] as string
          const reply = await server.admin.post(`/vulnerabilities/${start[`Flaw ${step.flaw}`].id}/${step.action}`)
          expect(reply.status).toBe(flaw.state === to ? 304 : 201)
          if (flaw.state !== to) flaw.history.push(`state ${flaw.state} ${to}`)
          flaw.state = to
          continue
        }
        const { ref, scanner } = step
        const found = step.found.filter((flaw) => scannerOf(flaw) === scanner)
        await server.report(project, sastReport(found.map(entryOf), scanner), { ref })
        for (const [number, flaw] of expected.entries()) {
          if (scannerOf(number) !== scanner) continue
          const was = flaw.isOn[ref]
          const isThere = found.includes(number)
          if (isThere && was === undefined) flaw.history.push(`found ${ref}`)
          if (isThere && was === false) flaw.history.push(`back ${ref}`)
          if (!isThere && was) flaw.history.push(`gone ${ref}`)
          if (isThere || was) flaw.isOn[ref] = isThere
          if (ref !== 'main') continue
          flaw.isGone = !flaw.isOn['main']
          if (!isThere || flaw.state !== 'resolved') continue
          flaw.history.push('state resolved detected')
          flaw.state = 'detected'
        }
      }
      const end = await vulnerabilitiesOf(server, project)
      for (const [number, flaw] of expected.entries()) {
        const vulnerability = end[`Flaw ${number}`]
        expect(vulnerability).toMatchObject({ state: flaw.state, resolved_on_default_branch: flaw.isGone })
        const entries = (await historyOf(server.admin, vulnerability.id)).map(({ kind, from, to, ref }) =>
          kind === 'created' ? kind : kind === 'state' ? `state ${from} ${to}` : `${kind} ${ref}`,
        )
        expect(entries).toEqual(flaw.history)
        const { body } = await server.admin.get(`/vulnerabilities/${vulnerability.id}/occurrences`)
        const present = body.map((row: { ref: string; is_present: boolean }) => [row.ref, row.is_present])
        expect(Object.fromEntries(present)).toEqual(flaw.isOn)
      }
    }),
    { numRuns: 12, seed: 20_261_121 },
  )
}, 120_000)
