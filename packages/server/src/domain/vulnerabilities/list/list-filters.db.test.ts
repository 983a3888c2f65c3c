import fc from 'fast-check'
import sql, { type Sql } from 'sql-template-tag'
import { expect, test } from 'vitest'
import { testEngine } from '../../../testing/databases/database.ts'
import { insertMadeUp, type MadeUp, reasonOnRefs } from '../../../testing/reports/vulnerabilities.ts'
import { startServer } from '../../../testing/server.ts'
import { readCandidates } from '../../findings/list/candidate-sql.ts'
import type { Cursor } from '../../findings/list/cursor.ts'
import type { FilteredList } from '../../findings/list/filtered-list.ts'
import { openListCache } from '../../findings/list/filtered-list.ts'
import { listFindingIds, openFindings } from '../../findings/list/finding-list.ts'
import { packageFilters } from '../../findings/list/package-filter-sql.ts'
import { refFilter, textFilters } from '../../findings/list/unindexed-filter-sql.ts'
import { refreshOccurrences } from '../../findings/occurrences/occurrences.ts'
import { dismissalReasons, severities, severityRanks, states } from '../../findings/scales.ts'
import { dismissalScopes } from '../triage/dismissals/ref-dismissals.ts'
import { listFacetCounts } from './facet-count-queries.ts'
import { type VulnerabilityFilter, type VulnerabilitySort, vulnerabilitySorts } from './filter.ts'
import { listVulnerabilityIds, matchingIds, openList } from './list.ts'

/** PostgreSQL runs the same queries at several times the cost, so it tests fewer filters. */
const runs = (count: number) => (testEngine === 'postgres' ? Math.ceil(count / 4) : count)

const types = ['sast', 'dast', 'container_scanning']
const images = ['alpine:3.20', 'Alpine:3.20', `registry.test/${'ü'.repeat(500)}`, `registry.test/${'ü'.repeat(500)}:2`]
const scanners = ['semgrep', 'gitleaks', 'zap']
const titles = ['SQL injection', 'Weak hash', 'Hard-coded secret', 'XSS in view', 'Go']
const files = ['src/app.ts', 'src/sql/users.ts', 'lib/hash.go', 'README.md']
const names = ['CWE-79', 'CWE-89', 'A03:2021', 'A10:2017 - Logging', 'A1:20210', 'cve-2021-44228', 'Rule hash']
const refs = ['main', 'feature']
const packages = [
  'pkg:npm/lodash@4.17.20',
  'pkg:npm/lodash@4.17.2',
  'pkg:npm/%40acme/core@1.0.0?arch=x86',
  'pkg:maven/org.Acme/Core@1',
]
const tags = ['billing', 'überprüft']
/** Days before and after any day of a test. */
const dueDays = ['2020-01-31', '2020-02-01', '9000-02-01', '9000-02-02']
const days = ['2027-01-31', '2027-02-01', '2028-12-31']

const flaws = [1, 2, 2 ** 51 + 1]

const pick = <T>(from: readonly T[]) => fc.constantFrom(...from)
const some = <T>(from: readonly T[]) => fc.uniqueArray(pick(from), { minLength: 1, maxLength: 3 })
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 3 })
/** For filters that few rows match. */
const rarely = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary })

const madeUp = fc.record({
  title: pick(titles),
  file: pick(files),
  state: pick(states),
  severity: pick(severities),
  reportType: pick(types),
  scanner: pick(scanners),
  isOnDefaultBranch: fc.constantFrom(true, true, true, false),
  isResolvedOnDefaultBranch: fc.boolean(),
  reason: fc.option(pick(dismissalReasons)),
  assigneeId: pick([null, null, 1, 2]),
  until: fc.option(pick(days)),
  untilFixed: fc.boolean(),
  dueOn: fc.option(pick(dueDays)),
  ruleId: pick([null, null, 7, 8]),
  identifiers: some(names),
  cvssTenths: fc.option(fc.integer({ min: 0, max: 100 })),
  epssMillionths: fc.option(pick([0, 900, 20_000, 150_000, 999_990])),
  isKev: fc.boolean(),
  hasFix: fc.boolean(),
  refs: fc.subarray(refs),
  packageUrl: fc.option(pick(packages), { nil: undefined }),
  hasIssue: fc.boolean(),
  image: fc.option(pick(images)),
  hasRemediations: fc.boolean(),
  tags: fc.subarray(tags),
  flawKey: pick(flaws),
  dismissedOn: fc.subarray(refs),
  isDecidedForGroup: fc.boolean(),
})

/** Packages that each filter finds. */
const packagesOf: Record<string, readonly (string | undefined)[]> = {
  'pkg:npm/lodash': packages.slice(0, 2),
  'pkg:npm/lodash@4.17.2': packages.slice(1, 2),
  'pkg:npm/@acme/core@1.0.0': packages.slice(2, 3),
  'pkg:npm/core': [],
  Lodash: packages.slice(0, 2),
  core: packages.slice(2),
  '@Acme/core': packages.slice(2, 3),
  'org.acme:core': packages.slice(3),
  'acme/core': [],
}

const filters: fc.Arbitrary<VulnerabilityFilter> = fc.record({
  states: maybe(some(states)),
  severities: maybe(some(severities)),
  reportTypes: maybe(some(types)),
  scanners: maybe(some([...scanners, 'unknown'])),
  isResolvedOnDefaultBranch: maybe(fc.boolean()),
  dismissalReasons: maybe(some(dismissalReasons)),
  assigneeIds: maybe(some([1, 2, 9, null])),
  identifiers: maybe(some(['cwe-79', 'CVE-2021-44228', 'ID:CWE-89', 'Rule', 'none'])),
  packages: maybe(some(Object.keys(packagesOf))),
  search: maybe(pick(['sql', 'HASH', 'inj SQL', 'src/', 'o', 'view xss', 'nowhere', 'cwe-8', 'users.ts'])),
  ref: maybe(pick([...refs, 'other'])),
  notOnRef: maybe(pick([...refs, 'other'])),
  alsoOnRef: rarely(pick([...refs, 'other'])),
  isKev: maybe(fc.boolean()),
  minEpss: maybe(pick([0, 0.02, 0.5, 1])),
  hasFix: maybe(fc.boolean()),
  isOnDefaultBranch: maybe(fc.boolean()),
  flaws: rarely(some([...flaws, 9])),
  hasDismissalEnd: rarely(fc.boolean()),
  dismissalEndsBefore: rarely(pick(days)),
  ruleId: rarely(pick([7, 8, 9])),
  isOverdue: rarely(fc.boolean()),
  dueBefore: rarely(pick(dueDays)),
  dueAfter: rarely(pick(dueDays)),
  hasIssue: rarely(fc.boolean()),
  hasRemediations: rarely(fc.boolean()),
  images: rarely(some([...images, 'other'])),
  owaspTopTen: rarely(pick([['a3_2021'], ['a10_2017'], ['a1_2017', 'a3_2021'], ['none']])),
  dismissalScopes: rarely(some(dismissalScopes)),
  tags: rarely(some(['Billing', 'ÜBERPRÜFT', 'other'])),
  notTags: rarely(some(['billing', 'Überprüft', 'other'])),
})

/** What the filters mean, said once more as plainly as possible. */
function isMatch(made: MadeUp, filter: VulnerabilityFilter): boolean {
  const lower = (text: string) => text.toLowerCase()
  const words = lower(filter.search ?? '').split(' ')
  const long = words.filter((word) => word.length >= 3)
  const texts = [made.title, made.file, ...made.identifiers].map(lower)
  const until = made.dismissedUntil ?? ''
  const isUntil = until !== ''
  const due = made.dueOn ?? undefined
  const isOpen = ['detected', 'confirmed'].includes(made.state)
  const isDismissedOnRef = isOpen && (made.dismissedOn ?? []).includes(filter.ref ?? '')
  const [state, reason] = isDismissedOnRef ? (['dismissed', reasonOnRefs] as const) : [made.state, made.dismissalReason]
  const isOverdue = due !== undefined && due < '2021' && ['detected', 'confirmed'].includes(state)
  const isDismissedSo = filter.dismissalReasons?.some((word) => state === 'dismissed' && word === reason) ?? false
  const isInState = filter.states?.includes(state) ?? !filter.dismissalReasons
  return (
    (filter.flaws?.includes(made.flawKey ?? 0) ?? true) &&
    (filter.isKev === undefined || made.isKev === filter.isKev) &&
    (filter.minEpss === undefined || (made.epssMillionths ?? -1) >= filter.minEpss * 1_000_000) &&
    (filter.hasFix === undefined || made.hasFix === filter.hasFix) &&
    (filter.ref === undefined || made.refs.includes(filter.ref)) &&
    (filter.notOnRef === undefined || !made.refs.includes(filter.notOnRef)) &&
    (filter.alsoOnRef === undefined || made.refs.includes(filter.alsoOnRef)) &&
    (filter.isOnDefaultBranch ?? (filter.ref === undefined || made.isOnDefaultBranch)) === made.isOnDefaultBranch &&
    (isInState || isDismissedSo) &&
    (filter.hasDismissalEnd === undefined ||
      (made.state === 'dismissed' && filter.hasDismissalEnd === (isUntil || made.isDismissedUntilFixed === true))) &&
    (filter.dismissalEndsBefore === undefined || (isUntil && until < filter.dismissalEndsBefore)) &&
    (filter.ruleId === undefined || made.ruleId === filter.ruleId) &&
    (filter.isOverdue ?? isOverdue) === isOverdue &&
    (filter.dueBefore === undefined || (due !== undefined && due < filter.dueBefore)) &&
    (filter.hasIssue ?? made.hasIssue === true) === (made.hasIssue === true) &&
    (filter.hasRemediations ?? made.hasRemediations) === made.hasRemediations &&
    (filter.images?.some((image) => image === made.image && made.reportType === 'container_scanning') ?? true) &&
    (filter.owaspTopTen?.some((category) => isOfCategory(made, category)) ?? true) &&
    (filter.tags?.some((tag) => made.tags?.includes(lower(tag))) ?? true) &&
    !filter.notTags?.some((tag) => made.tags?.includes(lower(tag))) &&
    (filter.dismissalScopes?.some((scope) =>
      scope === 'ref'
        ? isOpen && (made.dismissedOn ?? []).length > 0
        : made.state === 'dismissed' && (scope === 'group') === (made.isDecidedForGroup ?? false),
    ) ??
      true) &&
    (filter.dueAfter === undefined || (due !== undefined && due > filter.dueAfter)) &&
    (filter.severities?.includes(made.severity) ?? true) &&
    (filter.reportTypes?.includes(made.reportType) ?? true) &&
    (filter.scanners?.includes(made.scanner) ?? true) &&
    (filter.isResolvedOnDefaultBranch ?? made.isResolvedOnDefaultBranch) === made.isResolvedOnDefaultBranch &&
    (filter.assigneeIds?.includes(made.assigneeId ?? null) ?? true) &&
    (filter.identifiers?.some((asked) =>
      made.identifiers.some((name) => [lower(name), `id:${lower(name)}`].includes(lower(asked))),
    ) ??
      true) &&
    (filter.packages?.some((asked) => packagesOf[asked]?.includes(made.packageUrl)) ?? true) &&
    (filter.search === undefined ||
      texts.some((text) => (long.length > 0 ? long : words).every((word) => text.includes(word))))
  )
}

/** Categories that the identifiers of the test name. */
const owaspOf: Record<string, string> = { 'A03:2021': 'a3_2021', 'A10:2017 - Logging': 'a10_2017' }

function isOfCategory({ identifiers }: MadeUp, category: string): boolean {
  const found = identifiers.flatMap((name) => owaspOf[name] ?? [])
  return category === 'none' ? found.length === 0 : found.includes(category)
}

const compareDue = (a: MadeUp, b: MadeUp) =>
  (a.dueOn ?? '9999-12-31').localeCompare(b.dueOn ?? '9999-12-31') || a.id - b.id

const orders: Record<VulnerabilitySort, (a: MadeUp, b: MadeUp) => number> = {
  severity_desc: (a, b) => severityRanks[b.severity] - severityRanks[a.severity] || b.id - a.id,
  severity_asc: (a, b) => severityRanks[a.severity] - severityRanks[b.severity] || b.id - a.id,
  detected_desc: (a, b) => b.id - a.id,
  detected_asc: (a, b) => a.id - b.id,
  priority_desc: (a, b) => priorityScore(b) - priorityScore(a) || b.id - a.id,
  priority_asc: (a, b) => priorityScore(a) - priorityScore(b) || a.id - b.id,
  due_asc: compareDue,
  due_desc: (a, b) => compareDue(b, a),
}

function priorityScore({ severity, cvssTenths = null, epssMillionths = null, isKev, hasFix }: MadeUp): number {
  const points = { critical: 40, high: 30, medium: 20, unknown: 15, low: 10, info: 0 }
  const steps = [1_000, 10_000, 100_000, 500_000].filter((from) => (epssMillionths ?? 0) >= from).length
  const ofExposure = 5
  return (
    points[severity] +
    Math.round((cvssTenths ?? 0) / 10) +
    ([0, 2, 5, 10, 15][steps] ?? 0) +
    (isKev ? 15 : 0) +
    (hasFix ? 5 : 0) +
    ofExposure
  )
}

test('every filter, order and page of vulnerabilities gives the result of the model', async () => {
  const server = await startServer()
  const projects = [(await server.project('acme/one')).id, (await server.project('acme/two')).id]
  expect((await server.user('ada')).user?.id).toBe(2)
  const { deps } = server
  const [drafts = []] = fc.sample(fc.array(madeUp, { minLength: 600, maxLength: 600 }), { seed: 11, numRuns: 1 })
  const all = drafts.map(({ reason, until, untilFixed, ...draft }, index) => ({
    ...draft,
    dismissedUntil: draft.state === 'dismissed' ? until : null,
    isDismissedUntilFixed: draft.state === 'dismissed' && untilFixed,
    id: index + 1,
    projectId: projects[index % 5 === 0 ? 1 : 0] ?? 0,
    dismissalReason: draft.state === 'dismissed' ? reason : null,
  }))
  await insertMadeUp(deps.db, all, deps.now())
  const counts = new Map<string, Awaited<ReturnType<typeof listFacetCounts>>>()
  const scopes = [projects.slice(0, 1), projects].map((projectIds) => ({ key: projectIds.join(), projectIds }))
  for (const { key, projectIds } of scopes) counts.set(key, await listFacetCounts(deps.db, projectIds))

  const asked = fc.record({
    scope: pick(scopes),
    filter: filters,
    sort: pick(vulnerabilitySorts),
    page: fc.integer({ min: 1, max: 8 }),
    perPage: fc.integer({ min: 1, max: 30 }),
    limits: fc.record({ maxShortRows: pick([0, 5, 60, 10_000]), maxDirectRows: pick([0, 40, 500]) }),
    maxVisited: maybe(pick([0, 70, 1_000])),
    isCached: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(asked, async ({ scope, filter, sort, page, perPage, limits, maxVisited, isCached }) => {
      const expected = all
        .filter((made) => scope.projectIds.includes(made.projectId) && isMatch(made, filter))
        .sort(orders[sort])
        .map(({ id }) => id)
      const offset = (page - 1) * perPage
      const query = { scope, filter, sort }
      const found = await listVulnerabilityIds(deps, query, { page, perPage, offset })
      expect(found.rows).toEqual(expected.slice(offset, offset + perPage))
      expect([found.total, found.hasNext]).toEqual([expected.length, expected.length > offset + perPage])

      // However many rows a short list may have.
      const cache = isCached ? { cache: openListCache(deps.db.changes, []) } : {}
      // Whether a scan of an instance-wide index reads the rows, and after how many it stops.
      const scan = maxVisited === undefined ? {} : { scan: { minCounts: 0, maxVisited: () => maxVisited } }
      for (const start of [offset, 0, offset + 100, Math.floor(offset / 2)]) {
        const list = await openList(deps.db, query, counts.get(scope.key) ?? [], {
          ...cache,
          ...scan,
          ...{ limits, today: deps.now().slice(0, 10) },
        })
        expect([expected.length, undefined]).toContain(list.total)
        expect(await readAt(list, start, perPage)).toEqual(expected.slice(start, start + perPage))
        if (start > 0) expect(await readAll(list, perPage)).toEqual(expected)
      }
    }),
    { seed: 7, numRuns: runs(250) },
  )
}, 240_000)

test('every filter, order and page of findings gives the result of the model', async () => {
  const server = await startServer()
  const projectId = (await server.project('acme/one')).id
  const other = (await server.project('acme/two')).id
  await server.user('ada')
  const { deps } = server
  const [drafts = []] = fc.sample(fc.array(madeUp, { minLength: 500, maxLength: 500 }), { seed: 5, numRuns: 1 })
  const all = drafts.map(({ reason: _, ...draft }, index) => {
    const made = { ...draft, id: index + 1, projectId: index % 5 === 0 ? other : projectId, dismissalReason: null }
    return { ...made, isOnDefaultBranch: true, isPromoted: index % 3 > 0 }
  })
  await insertMadeUp(deps.db, all, deps.now())
  const waiting = all.filter(({ isPromoted }) => !isPromoted).map(({ id }) => id)
  await deps.db.run(sql`
    update findings set vulnerability_id = null where id in ${deps.db.dialect.integers(waiting)}`)
  await deps.db.run(sql`delete from promoted_findings where finding_id in ${deps.db.dialect.integers(waiting)}`)
  await refreshOccurrences(deps.db, waiting)

  const asked = fc.record({
    filter: filters,
    isPromoted: maybe(fc.boolean()),
    page: fc.integer({ min: 1, max: 8 }),
    perPage: fc.integer({ min: 1, max: 30 }),
    limits: fc.record({ maxShortRows: pick([0, 5, 60, 10_000]), maxDirectRows: pick([0, 40, 500]) }),
    isCached: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(asked, async ({ filter, isPromoted, page, perPage, limits, isCached }) => {
      const {
        severities,
        reportTypes,
        scanners,
        states,
        identifiers,
        packages,
        search,
        notOnRef,
        alsoOnRef,
        ref = 'main',
      } = filter
      const same = {
        severities,
        reportTypes,
        scanners,
        states,
        identifiers,
        packages,
        search,
        notOnRef,
        alsoOnRef,
        ref,
      }
      const expected = all
        .map((made) => (made.isPromoted ? made : { ...made, state: 'detected' as const, dismissedOn: [] }))
        .filter((made) => made.projectId === projectId && isMatch(made, same))
        .filter((made) => isPromoted === undefined || made.isPromoted === isPromoted)
        .sort((a, b) => severityRanks[b.severity] - severityRanks[a.severity] || a.id - b.id)
        .map(({ id }) => id)
      const offset = (page - 1) * perPage
      const found = await listFindingIds(
        deps,
        { ...same, projectId, scannedOnRef: undefined, importId: undefined, isPromoted },
        { page, perPage, offset },
      )
      expect(found.rows).toEqual(expected.slice(offset, offset + perPage))
      expect(found.hasNext).toBe(expected.length > offset + perPage)

      const list = await openFindings(
        deps.db,
        { ...same, projectId, scannedOnRef: undefined, importId: undefined, isPromoted },
        { limits, cache: isCached ? openListCache(deps.db.changes, []) : undefined },
      )
      expect(await readAll(list, perPage)).toEqual(expected)
      expect(await readAt(list, offset, perPage)).toEqual(expected.slice(offset, offset + perPage))
    }),
    { seed: 9, numRuns: runs(200) },
  )
}, 240_000)

test('candidates are complete for every batch size', async () => {
  const server = await startServer()
  await server.user('ada')
  const projectId = (await server.project('acme/one')).id
  const { db, now } = server.deps
  const [drafts = []] = fc.sample(fc.array(madeUp, { minLength: 300, maxLength: 300 }), { seed: 2, numRuns: 1 })
  const all = drafts.map(({ reason: _, ...draft }, index) => {
    // Texts of their own, more than are searched at once.
    const title = `${draft.title} ${index % 40}`
    return { ...draft, title, id: index + 1, projectId, dismissalReason: null }
  })
  await insertMadeUp(db, all, now())
  const atOnce = fc.record({ keys: pick([1, 3, 250]), candidates: pick([1, 7, 5_000]), searched: pick([1, 9, 10_000]) })
  await fc.assert(
    fc.asyncProperty(filters, atOnce, async ({ identifiers, packages, search, ref }, atOnce) => {
      for (const filter of [{ identifiers }, { packages }, { search }, { ref }]) {
        const byRef = filter.ref === undefined ? [] : [refFilter(filter.ref, [projectId])]
        const [unindexed] = [
          ...textFilters(db, filter, [projectId]),
          ...packageFilters(db, filter, [projectId]),
          ...byRef,
        ]
        if (!unindexed?.indexes) continue
        const found = new Set<number>()
        const selectRows = (candidates: Sql) => sql`select 1 as severity, c.id from (${candidates}) as c`
        for await (const { rows } of readCandidates(db, unindexed.indexes, selectRows, atOnce)) {
          for (const { id } of rows) found.add(id)
        }
        const expected = all.filter((made) => isMatch({ ...made, isOnDefaultBranch: true }, filter))
        expect([...found].sort((a, b) => a - b)).toEqual(expected.map(({ id }) => id))
      }
    }),
    { seed: 4, numRuns: runs(60) },
  )
}, 240_000)

async function readAt(list: FilteredList, offset: number, limit: number): Promise<number[]> {
  return (await list.read({ offset, limit })).map(({ id }) => id)
}

async function readAll(list: FilteredList, limit: number): Promise<number[]> {
  const read: number[] = []
  for (let after: Cursor | undefined; ; ) {
    const rows = await list.read({ after, limit })
    read.push(...rows.map(({ id }) => id))
    if (rows.length < limit) return read
    after = rows.at(-1)
  }
}

test('keyset pages and batches of ids reach the end of the list', async () => {
  const server = await startServer()
  const project = (await server.project('acme/long')).id
  await server.user('ada')
  const { deps } = server
  const [drafts = []] = fc.sample(fc.array(madeUp, { minLength: 1200, maxLength: 1200 }), { seed: 3, numRuns: 1 })
  const all = drafts.map(({ reason: _, ...draft }, index) => ({
    ...draft,
    id: index + 1,
    projectId: project,
    dismissalReason: null,
  }))
  await insertMadeUp(deps.db, all, deps.now())
  const scope = { key: 'long', projectIds: [project] }
  const filter = { severities: ['high', 'critical', 'low', 'medium'], states: ['detected', 'confirmed'] } as const
  const expected = all
    .filter((made) => isMatch(made, filter))
    .sort(orders.severity_desc)
    .map(({ id }) => id)

  const read: number[] = []
  for (let after: Cursor | undefined; ; ) {
    const request = { page: 1, offset: 0, perPage: 37, keyset: { after } }
    const { rows, next } = await listVulnerabilityIds(deps, { scope, filter, sort: 'severity_desc' }, request)
    read.push(...rows)
    if (!next) break
    after = next
  }
  expect(read).toEqual(expected)
  const batches: number[][] = []
  const everything = { scope, filter: {}, sort: 'severity_desc' } as const
  for await (const ids of matchingIds(deps, everything)) batches.push(ids)
  expect(batches.length).toBeGreaterThan(1)
  expect(batches.flat().sort((a, b) => a - b)).toEqual(
    all.filter(({ isOnDefaultBranch }) => isOnDefaultBranch).map(({ id }) => id),
  )
})
