import fc from 'fast-check'
import { expect, test } from 'vitest'
import { testEngine } from '../../../testing/databases/database.ts'
import { entry, sastReport } from '../../../testing/reports/reports.ts'
import { insertMadeUp, type MadeUp, usual } from '../../../testing/reports/vulnerabilities.ts'
import { startServer } from '../../../testing/server.ts'
import type { Cursor } from '../../findings/list/cursor.ts'
import { severities, severityRanks, states } from '../../findings/scales.ts'
import { projectScope, type VulnerabilityFilter } from '../list/filter.ts'
import { type FlawSort, flawSorts, listFlaws } from './flaw-list.ts'

const pick = <T>(from: readonly T[]) => fc.constantFrom(...from)
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 })
const some = <T>(from: readonly T[]) => fc.uniqueArray(pick(from), { minLength: 1, maxLength: 3 })
const scanners = ['semgrep', 'zap']

const madeUp = fc.record({
  flawKey: fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 2 ** 51, max: 2 ** 51 + 20 })),
  severity: pick(severities),
  state: pick(states),
  scanner: pick(scanners),
  title: pick(['SQL injection', 'Weak hash']),
  isOnDefaultBranch: pick([true, true, true, false]),
  isResolvedOnDefaultBranch: fc.boolean(),
  cvssTenths: fc.integer({ min: 0, max: 100 }),
  isKev: fc.boolean(),
  dueOn: pick(['2026-01-01', '2026-02-01', '2026-03-01', null]),
  assigneeId: pick([1, null]),
})

const filters: fc.Arbitrary<VulnerabilityFilter> = fc.record({
  states: maybe(some(states)),
  severities: maybe(some(severities)),
  scanners: maybe(some([...scanners, 'unknown'])),
  dismissalReasons: maybe(some(['false_positive', 'used_in_tests'] as const)),
  isResolvedOnDefaultBranch: maybe(fc.boolean()),
  isOnDefaultBranch: maybe(fc.boolean()),
  search: maybe(pick(['sql', 'hash'])),
  flaws: maybe(some([1, 2, 2 ** 51, 99])),
  dueBefore: maybe(pick(['2026-02-02'])),
  assigneeIds: maybe(some([1, null])),
})

const isMatch = (made: MadeUp, filter: VulnerabilityFilter) =>
  (filter.states?.includes(made.state) ||
    (filter.dismissalReasons?.includes(made.dismissalReason ?? '') ?? !filter.states)) &&
  (filter.severities?.includes(made.severity) ?? true) &&
  (filter.scanners?.includes(made.scanner) ?? true) &&
  (filter.isResolvedOnDefaultBranch ?? made.isResolvedOnDefaultBranch) === made.isResolvedOnDefaultBranch &&
  (filter.isOnDefaultBranch ?? true) === made.isOnDefaultBranch &&
  (filter.search === undefined || made.title.toLowerCase().includes(filter.search)) &&
  (filter.flaws?.includes(made.flawKey ?? 0) ?? true) &&
  (filter.dueBefore === undefined || (made.dueOn ?? '9') < filter.dueBefore) &&
  (filter.assigneeIds?.includes(made.assigneeId ?? null) ?? true)

const points = { critical: 40, high: 30, medium: 20, unknown: 15, low: 10, info: 0 }
const priorityOf = ({ severity, cvssTenths, isKev }: MadeUp) =>
  points[severity] + Math.round((cvssTenths ?? 0) / 10) + (isKev ? 15 : 0) + 5

type Compare<Row> = (a: Row, b: Row) => number

const bySeverity: Compare<MadeUp> = (a, b) => severityRanks[a.severity] - severityRanks[b.severity]
const byPriority: Compare<MadeUp> = (a, b) => priorityOf(a) - priorityOf(b)
const byDueDate: Compare<MadeUp> = (a, b) => compareTexts(a.dueOn ?? '9999', b.dueOn ?? '9999')
const oldest: Compare<MadeUp> = (a, b) => a.id - b.id
const newest: Compare<MadeUp> = (a, b) => b.id - a.id
const compareTexts = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
const descending: (by: Compare<MadeUp>) => Compare<MadeUp> = (by) => (a, b) => -by(a, b)
const both =
  (first: Compare<MadeUp>, second: Compare<MadeUp>): Compare<MadeUp> =>
  (a, b) =>
    first(a, b) || second(a, b)

/** Which vulnerability gives a flaw its place, and the order of these vulnerabilities. */
const orders: Record<Exclude<FlawSort, 'count_desc' | 'count_asc'>, [Compare<MadeUp>, Compare<MadeUp>]> = {
  severity_desc: [both(descending(bySeverity), newest), both(descending(bySeverity), newest)],
  severity_asc: [both(descending(bySeverity), newest), both(bySeverity, newest)],
  priority_desc: [both(descending(byPriority), newest), both(descending(byPriority), newest)],
  priority_asc: [both(descending(byPriority), newest), both(byPriority, oldest)],
  detected_desc: [newest, newest],
  detected_asc: [oldest, oldest],
  due_asc: [both(byDueDate, oldest), both(byDueDate, oldest)],
  due_desc: [both(descending(byDueDate), newest), both(descending(byDueDate), newest)],
}

/** The groups of the matching rows in the order of the list, as plainly as possible. */
function groupsOf(all: readonly MadeUp[], sort: FlawSort) {
  const keys = [...new Set(all.map(({ flawKey }) => flawKey ?? 0))]
  const groups = keys.map((key) => all.filter(({ flawKey }) => flawKey === key))
  if (sort === 'count_asc' || sort === 'count_desc') {
    const keyOf = ([first]: readonly MadeUp[]) => first?.flawKey ?? 0
    groups.sort((a, b) => a.length - b.length || keyOf(a) - keyOf(b))
    if (sort === 'count_desc') groups.reverse()
  } else {
    const [placing, order] = orders[sort]
    // Every group has a member.
    const placeOf = (members: MadeUp[]) => members.toSorted(placing)[0] as MadeUp
    groups.sort((a, b) => order(placeOf(a), placeOf(b)))
  }
  return groups.map((members) => {
    const ranked = members.toSorted((a, b) => severityRanks[b.severity] - severityRanks[a.severity] || a.id - b.id)
    return {
      key: members[0]?.flawKey,
      title: ranked[0]?.title,
      severity: ranked[0]?.severity,
      priority: Math.max(...members.map(priorityOf)),
      vulnerabilityCount: members.length,
      projectCount: new Set(members.map(({ projectId }) => projectId)).size,
      scanners: [...new Set(members.map(({ scanner }) => scanner))].sort(),
      states: Object.fromEntries(states.map((state) => [state, members.filter((one) => one.state === state).length])),
    }
  })
}

test('every filter, order and page of flaws gives the groups of the model', { timeout: 120_000 }, async () => {
  const server = await startServer()
  const { deps } = server
  const projects = [(await server.project('acme/one')).id, (await server.project('acme/two')).id]
  const [drafts = []] = fc.sample(fc.array(madeUp, { minLength: 300, maxLength: 300 }), { seed: 3, numRuns: 1 })
  const all = drafts.map((draft, index): MadeUp => {
    const reason = index % 2 === 0 ? 'false_positive' : 'acceptable_risk'
    const dismissalReason = draft.state === 'dismissed' ? reason : null
    return { ...usual, ...draft, id: index + 1, projectId: projects[index % 3 === 0 ? 1 : 0] ?? 0, dismissalReason }
  })
  await insertMadeUp(deps.db, all, deps.now())

  const asked = fc.record({
    projectIds: pick([projects.slice(0, 1), projects]),
    filter: filters,
    sort: pick(flawSorts),
    perPage: fc.integer({ min: 1, max: 20 }),
    // Longer lists are not grouped as a whole.
    maxGroupedRows: pick([0, 0, 10_000]),
  })
  await fc.assert(
    fc.asyncProperty(asked, async ({ projectIds, filter, sort, perPage, maxGroupedRows }) => {
      const matching = all.filter((made) => projectIds.includes(made.projectId) && isMatch(made, filter))
      const expected = groupsOf(matching, sort)
      const query = { scope: { key: projectIds.join(), projectIds }, filter, sort }
      const limits = { maxGroupedRows }
      const isCounted = matching.length <= maxGroupedRows
      if (!isCounted && sort.startsWith('count')) {
        const first = { page: 1, perPage, offset: 0 }
        const failure = { kind: 'parameter', message: expect.stringContaining('lists of up to 0 vulnerabilities') }
        await expect(listFlaws(deps, query, first, limits)).rejects.toMatchObject({ cause: failure })
        return
      }
      const found: unknown[] = []
      let cursor: Cursor | undefined
      for (let page = 1; ; page++) {
        const offset = (page - 1) * perPage
        const numbered = await listFlaws(deps, query, { page, perPage, offset }, limits)
        expect(numbered.total).toBe(isCounted ? expected.length : undefined)
        const after = { page: 1, perPage, offset: 0, keyset: { after: cursor } }
        const keyset = await listFlaws(deps, query, after, limits)
        expect(keyset.rows).toEqual(numbered.rows)
        for (const { firstDetectedAt: _, identifiers, package: __, explanation, scanners, ...row } of keyset.rows) {
          expect(identifiers.length * explanation.length).toBeGreaterThan(0)
          found.push({ ...row, scanners: scanners.map(({ externalId }) => externalId) })
        }
        cursor = keyset.next
        if (!cursor) break
      }
      expect(found).toEqual(expected)
    }),
    { seed: 5, numRuns: testEngine === 'postgres' ? 25 : 80 },
  )
})

test('a change while the counts of a list are read is in the next list', async () => {
  const server = await startServer()
  const project = await server.project('acme/site')
  await server.vulnerability(project)
  const { db } = server.deps
  const query = { scope: projectScope(project.id), filter: { scanners: ['other'] }, sort: 'count_desc' } as const
  const request = { page: 1, perPage: 10, offset: 0 }
  let isChanged = false
  /** Imports a report of another scanner after the first statement has read. */
  const all: typeof db.all = async (statement) => {
    const rows = await db.all(statement)
    if (!isChanged) {
      isChanged = true
      await server.report(project, sastReport([entry({ name: 'Later' })], 'other'), { category: 'other' })
    }
    return rows as never // of the type that the caller names
  }
  await listFlaws({ ...server.deps, db: { ...db, all } }, query, request)
  expect((await listFlaws(server.deps, query, request)).rows).toMatchObject([{ title: 'Later' }])
})
