import { perDatabase } from '../../../db/cache.ts'
import type { Db } from '../../../db/db.ts'
import { parameterProblem } from '../../../platform/failure.ts'
import type { Deps, RootDeps } from '../../deps.ts'
import { type Cursor, isPositionIn, type ListOrder, reversed } from '../../findings/list/cursor.ts'
import {
  type FilteredList,
  type ListCache,
  type ListLimits,
  openFilteredList,
  openListCache,
} from '../../findings/list/filtered-list.ts'
import { assertNumbered, idBatches, type ListPageRequest, readPage } from '../../findings/list/list-page.ts'
import type { Page } from '../../page.ts'
import type { Assignee, VulnerabilityWithFinding } from '../vulnerability.ts'
import { cachedFacetCounts, facetTables, onlyProjectOf } from './counts/cached-counts.ts'
import { type FacetCount, listFacetCounts } from './facet-count-queries.ts'
import {
  filtersRefState,
  type ListScope,
  matchesFacets,
  onlyAssignee,
  rangeAssignee,
  type VulnerabilityFilter,
  type VulnerabilitySort,
  withRefStates,
} from './filter.ts'
import { defaultScanLimits, indexRanges, rowCount, type ScanLimits } from './index-ranges.ts'
import { countAssigned, listRowVersions, listWithFindings } from './list-queries.ts'
import { hasRefDismissals } from './ref-state-queries.ts'
import { rowFilter } from './row-filter.ts'
import { unindexedFilters } from './unindexed-filter-queries.ts'

export interface ListQuery {
  scope: ListScope
  filter: VulnerabilityFilter
  sort: VulnerabilitySort
  /** Reads from the end of the list. */
  isReversed?: boolean
}

/** Returns the ids of a page of a filtered list. */
export async function listVulnerabilityIds(
  deps: RootDeps,
  query: ListQuery,
  request: ListPageRequest,
): Promise<Page<number> & { next: Cursor | undefined }> {
  assertNumbered(request, 'Vulnerability')
  const after = request.keyset?.after
  if (after && !isPositionIn(listOrder(query), after)) throw parameterProblem('cursor is invalid')
  const { rows, ...page } = await readPage(await openCachedList(deps, query), request)
  return { ...page, rows: rows.map(({ id }) => id) }
}

/** Yields the ids of all matching vulnerabilities in batches. Works inside a transaction. */
export async function* matchingIds(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  query: ListQuery,
  batchSize?: number,
): AsyncGenerator<number[]> {
  const counts = await listFacetCounts(db, query.scope.projectIds)
  yield* idBatches(await openList(db, query, counts, { today: now().slice(0, 10) }), batchSize)
}

/** Returns vulnerabilities in the order of the ids. */
export async function loadVulnerabilities({ db }: Deps, ids: readonly number[]): Promise<VulnerabilityWithFinding[]> {
  const rows = await listWithFindings(db, ids)
  const byId = new Map(rows.map((row) => [row.vulnerability.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? [])
}

/** Returns the version of everything that is stored of a vulnerability: its row, its finding and its assignee. */
export const versionOf = ({ vulnerability, finding, assignee }: VulnerabilityWithFinding): string =>
  versionText(vulnerability.version, finding.version, assignee)

const versionText = (vulnerability: number, finding: number, assignee: Assignee | null): string =>
  `${vulnerability} ${finding}${assignee ? ` ${assignee.username} ${assignee.state} ${assignee.avatarFilename ?? ''} ${assignee.name}` : ''}`

/** Returns the same versions, and the projects. */
export async function listVersions(
  { db }: Deps,
  ids: readonly number[],
): Promise<{ id: number; projectId: number; version: string }[]> {
  const rows = await listRowVersions(db, ids)
  return rows.map(({ id, projectId, vulnerability, finding, assignee }) => ({
    id,
    projectId,
    version: versionText(vulnerability, finding, assignee),
  }))
}

export const filteredTables = [
  ...['findings', 'promoted_findings', 'occurrences', 'identifiers', 'finding_identifiers', 'vulnerability_tags'],
  ...['tagged_findings', 'vulnerability_links'],
  'ref_dismissals',
]

const listCaches = perDatabase((changes) => openListCache(changes, [...facetTables, ...filteredTables]))

export async function openCachedList(deps: RootDeps, query: ListQuery): Promise<FilteredList> {
  const cache = listCaches(deps.db)
  // Read before the counts, so that positions that are computed from outdated counts are not recorded.
  const version = cache.bookmarks.version(onlyProjectOf(query.scope))
  const counts = await cachedFacetCounts(deps, query.scope)
  return openList(deps.db, query, counts, { cache, version, today: deps.now().slice(0, 10) })
}

interface ListOptions {
  cache?: ListCache | undefined
  /** See `ListDefinition.version`. */
  version?: number | undefined
  limits?: ListLimits | undefined
  scan?: ScanLimits | undefined
  /** Date in UTC, which the filter of overdue vulnerabilities needs. */
  today?: string
}

/** A column that is the due date, and follows all dates in rows without one. */
const dueDateKey = { sql: 'due_key', type: 'string' } as const

const orders: Record<VulnerabilitySort, ListOrder> = {
  severity_desc: { severity: 'desc', id: 'desc' },
  severity_asc: { severity: 'asc', id: 'desc' },
  detected_desc: { id: 'desc' },
  detected_asc: { id: 'asc' },
  priority_desc: { key: { sql: 'priority', type: 'number' }, id: 'desc' },
  priority_asc: { key: { sql: 'priority', type: 'number' }, id: 'asc' },
  due_asc: { key: dueDateKey, id: 'asc' },
  due_desc: { key: dueDateKey, id: 'desc' },
}

/** Returns the order in which the rows of a list are read. */
export function listOrder({ sort, isReversed }: Pick<ListQuery, 'sort' | 'isReversed'>): ListOrder {
  return isReversed ? reversed(orders[sort]) : orders[sort]
}

/** Opens a list, given the facet counts of its projects. */
export async function openList(
  db: Db,
  query: ListQuery,
  counts: readonly FacetCount[],
  { cache, version, limits, scan = defaultScanLimits, today = '' }: ListOptions = {},
): Promise<FilteredList> {
  const { scope, filter, sort, isReversed } = query
  const order = listOrder(query)
  const hasRefStates = filtersRefState(filter) && (await hasRefDismissals(db, scope.projectIds, filter.ref ?? ''))
  const facetFilter = hasRefStates ? withRefStates(filter) : filter
  const { matching, maxRows } = await ofAssignee(
    db,
    filter,
    counts.filter((count) => matchesFacets(facetFilter, count)),
  )
  const assignee = rangeAssignee(filter, order)
  // Most rows have no assignee, so in lists of many projects each row is tested.
  const assigneeId = assignee === null && matching.length >= scan.minCounts ? undefined : assignee
  const isListed = rowFilter(scope, facetFilter, matching)
  const list = {
    key: JSON.stringify([
      ...[scope.key, filter, sort],
      ...(isReversed ? ['reversed'] : []),
      ...(filter.isOverdue === undefined ? [] : [today]),
    ]),
    order,
    ranges: indexRanges(db, { all: counts, matching, assigneeId, isListed }, order, scan),
    rowCount: assigneeId === undefined ? rowCount(matching) : Math.min(rowCount(matching), maxRows),
    unindexed: unindexedFilters(db, {
      filter,
      projectIds: scope.projectIds,
      counts: matching,
      order,
      assigneeId,
      today,
      hasRefStates,
    }),
    isCounted: true,
    projectId: onlyProjectOf(scope),
    version,
  }
  return openFilteredList(list, cache, limits)
}

/** Returns the counts of the projects in which the only assignee of the filter has vulnerabilities, and their number. */
async function ofAssignee(db: Db, filter: VulnerabilityFilter, counts: readonly FacetCount[]) {
  const assigneeId = onlyAssignee(filter)
  if (!assigneeId) return { matching: counts, maxRows: Number.POSITIVE_INFINITY }
  const assigned = await countAssigned(db, assigneeId)
  const matching = counts.filter(({ projectId }) => assigned.has(projectId))
  const projectIds = new Set(matching.map(({ projectId }) => projectId))
  return { matching, maxRows: [...projectIds].reduce((sum, id) => sum + (assigned.get(id) ?? 0), 0) }
}
