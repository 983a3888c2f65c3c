import sql from 'sql-template-tag'
import { expect, test } from 'vitest'
import { insertMadeUp, type MadeUp, usual } from '../../../testing/reports/vulnerabilities.ts'
import { startServer } from '../../../testing/server.ts'
import { type Severity, severities, severityRanks, states } from '../scales.ts'
import { compareIn, type OpenFindings } from './open-on-refs.ts'
import type { RefPair } from './open-on-refs-queries.ts'

interface Occurrence {
  findingId: number
  ref: string
  severity: number
  state: string
  isPresent: boolean
  vulnerabilityId: number | null
}

test('open findings of two refs are counted by the state and severity on the ref, regardless of how many there are', async () => {
  const server = await startServer()
  const { db, now } = server.deps
  const { id: projectId } = await server.project('acme/site')
  const refs = ['main', 'feature', 'other']
  const rows = Array.from({ length: 300 }, (_, index): MadeUp => {
    const id = index + 1
    const state = states[id % 4] ?? 'detected'
    const severity: Severity = severities[id % 7] ?? 'low'
    return { ...usual, id, projectId, state, severity, refs: refs.filter((_, ref) => ((id * 7919) >> ref) % 3 > 0) }
  })
  await insertMadeUp(db, rows, now())
  // States and severities differ between refs, some findings are absent, and some await promotion.
  await db.run(sql`update occurrences set state = 'dismissed' where finding_id % 5 = 0 and ref = 'feature'`)
  await db.run(
    sql`update occurrences set severity = ${severityRanks.critical} where finding_id % 3 = 0 and ref = 'main'`,
  )
  await db.run(sql`update occurrences set is_present = false where finding_id % 11 = 0 and ref = 'feature'`)
  await db.run(sql`update findings set vulnerability_id = null where id % 4 = 1`)
  const occurrences = await db.all<Occurrence>(sql`
    select o.finding_id, o.ref, o.severity, o.state, o.is_present, f.vulnerability_id
    from occurrences o join findings f on f.id = o.finding_id`)

  for (const [ref, other] of [
    ['main', 'feature'],
    ['feature', 'main'],
    ['feature', 'other'],
  ] as const) {
    const isOnOther = ({ findingId }: Occurrence) =>
      occurrences.some((one) => one.findingId === findingId && one.ref === other && one.isPresent)
    const open = occurrences.filter(
      (one) => one.ref === ref && one.isPresent && /^(detected|confirmed)$/.test(one.state),
    )
    const expected = { onBoth: tally(open.filter(isOnOther)), onlyOnRef: tally(open.filter((one) => !isOnOther(one))) }
    const large = [true, false].flatMap((outer) => [true, false].map((inner) => ({ outer, inner })))
    const pairs = large.flatMap((isLarge): RefPair[] => [
      { projectId, outer: ref, inner: other, isLarge },
      { projectId, outer: other, inner: ref, isLarge },
    ])
    for (const pair of pairs) {
      const { onlyOnTarget, ...compared } = await compareIn(db, pair, ref)
      expect(compared).toEqual(expected)
      expect(onlyOnTarget).toEqual((await compareIn(db, pair, other)).onlyOnRef)
    }
  }
})

function tally(occurrences: readonly Occurrence[]): OpenFindings {
  const promoted = occurrences.filter(({ vulnerabilityId }) => vulnerabilityId !== null)
  const count = (severity: Severity) => promoted.filter((one) => one.severity === severityRanks[severity]).length
  return {
    vulnerabilities: Object.fromEntries(
      severities.map((name) => [name, count(name)]),
    ) as OpenFindings['vulnerabilities'], // all of them
    total: promoted.length,
    awaitingTriage: occurrences.length - promoted.length,
  }
}
