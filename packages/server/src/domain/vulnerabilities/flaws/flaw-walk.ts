import { setImmediate } from 'node:timers/promises'
import { openCache, perDatabase } from '../../../db/cache.ts'
import { forEachBatch } from '../../batches.ts'
import type { RootDeps } from '../../deps.ts'
import { type Cursor, compareIn, type ListOrder } from '../../findings/list/cursor.ts'
import type { FilteredList } from '../../findings/list/filtered-list.ts'
import type { RowRequest } from '../../findings/list/index-range.ts'
import { openBookmarkCache, openBookmarks } from '../../findings/list/page-bookmarks.ts'
import { maxCountedRows } from '../../page.ts'
import { facetTables, onlyProjectOf } from '../list/counts/cached-counts.ts'
import type { ListScope, VulnerabilityFilter, VulnerabilitySort } from '../list/filter.ts'
import { filteredTables, listOrder, openCachedList } from '../list/list.ts'
import { matchingAmong } from '../list/matching.ts'
import { facetSelection, hasOnlyFacets } from './facet-selection.ts'
import { listFlawKeys, listPreceded, listPreceding } from './flaw-group-queries.ts'

/** A flaw, and the position of the vulnerability that gives it its place in a list. */
export interface PlacedFlaw {
  key: number
  at: Cursor
}

/** Flaws of a list in its order. */
export interface PlacedFlaws {
  /** Exact number of flaws; undefined if it would require reading many rows. */
  total: number | undefined
  read(request: RowRequest): Promise<PlacedFlaw[]>
}

export interface FlawLimits {
  /** Maximum number of rows of a list that is grouped as a whole. */
  maxGroupedRows: number
}

export const usualLimits: FlawLimits = { maxGroupedRows: maxCountedRows }

interface WalkedQuery {
  scope: ListScope
  filter: VulnerabilityFilter
  sort: VulnerabilitySort
}

/**
 * The order in which the first of its vulnerabilities gives a flaw its place. In ascending lists of severities and
 * priorities it is still the highest one, which the row shows.
 */
const placings: Record<VulnerabilitySort, VulnerabilitySort> = {
  severity_desc: 'severity_desc',
  severity_asc: 'severity_desc',
  priority_desc: 'priority_desc',
  priority_asc: 'priority_desc',
  detected_desc: 'detected_desc',
  detected_asc: 'detected_asc',
  due_asc: 'due_asc',
  due_desc: 'due_desc',
}

/**
 * Opens the flaws of a list of vulnerabilities. A list with a total is grouped as a whole. A longer one is read in its
 * order, without the vulnerabilities whose flaw has its place before them, so a page costs as much in a list of any length.
 */
export async function openPlacedFlaws(
  deps: RootDeps,
  query: WalkedQuery,
  { maxGroupedRows }: FlawLimits,
): Promise<PlacedFlaws> {
  const list = await openCachedList(deps, query)
  if (list.total !== undefined && list.total <= maxGroupedRows) {
    const flaws = await groupCached(deps, query)
    return { total: flaws.length, read: async (request) => selectFrom(flaws, listOrder(query), request) }
  }
  return { total: undefined, read: (request) => readFromBookmark(deps, query, list, request) }
}

/** About 100 bytes each. */
const maxCachedFlaws = 100_000
/** Weight of a list without its flaws, because a search may find none. */
export const overheadFlaws = 10
const maxBatchSize = 2_000
export const groupedTables = [...facetTables, ...filteredTables]

const groupCaches = perDatabase((changes) =>
  openCache<readonly PlacedFlaw[]>(changes, groupedTables, maxCachedFlaws, (flaws) => flaws.length + overheadFlaws),
)
const bookmarkCaches = perDatabase((changes) => openBookmarkCache(changes, groupedTables))

function groupCached(deps: RootDeps, query: WalkedQuery): Promise<readonly PlacedFlaw[]> {
  const load = () => groupAll(deps, query)
  return groupCaches(deps.db).getShared(keyOfGroups(deps, query), load, onlyProjectOf(query.scope))
}

/** Returns the cache key of values that depend on all rows of a list. */
export function keyOfGroups({ now }: RootDeps, { scope, filter, sort }: WalkedQuery): string {
  const today = filter.isOverdue === undefined ? '' : now().slice(0, 10)
  return JSON.stringify([scope.key, filter, sort, today])
}

/** Reads the whole list, in the order that gives flaws their places. */
async function groupAll(deps: RootDeps, query: WalkedQuery): Promise<PlacedFlaw[]> {
  const placing = { ...query, sort: placings[query.sort] }
  const list = await openCachedList(deps, placing)
  const flaws = new Map<number, PlacedFlaw>()
  for (let after: Cursor | undefined; ; ) {
    const rows = await list.read({ after, limit: maxBatchSize })
    for (const flaw of await placed(deps, rows)) if (!flaws.has(flaw.key)) flaws.set(flaw.key, flaw)
    if (rows.length < maxBatchSize) break
    after = rows.at(-1)
    await setImmediate()
  }
  const compare = compareIn(listOrder(query))
  const inPlacing = [...flaws.values()]
  return placing.sort === query.sort ? inPlacing : inPlacing.sort((a, b) => compare(a.at, b.at))
}

/** Adds the keys to the rows. A vulnerability whose key has not been computed is in no flaw. */
async function placed({ db }: RootDeps, rows: readonly Cursor[]): Promise<PlacedFlaw[]> {
  const keys = await listFlawKeys(
    db,
    rows.map(({ id }) => id),
  )
  return rows.flatMap((at) => {
    const key = keys.get(at.id)
    return key === undefined ? [] : { key, at }
  })
}

/** Returns some of the flaws, which are in this order. */
export function selectFrom(
  flaws: readonly PlacedFlaw[],
  order: ListOrder,
  { after, offset = 0, limit }: RowRequest,
): PlacedFlaw[] {
  const compare = compareIn(order)
  const start = after ? flaws.findIndex(({ at }) => compare(at, after) > 0) : 0
  return start < 0 ? [] : flaws.slice(start + offset, start + offset + limit)
}

/** Reads flaws from the last bookmark before the offset, and records bookmarks. */
async function readFromBookmark(
  deps: RootDeps,
  query: WalkedQuery,
  list: FilteredList,
  { after, offset = 0, limit }: RowRequest,
): Promise<PlacedFlaw[]> {
  if (offset === 0) return walk(deps, query, list, { after, limit })
  const key = JSON.stringify([keyOfGroups(deps, query), after])
  const bookmarks = await bookmarkCaches(deps.db).get(key, async () => openBookmarks(after), onlyProjectOf(query.scope))
  const start = bookmarks.before(offset)
  const flaws = await walk(deps, query, list, { after: start.after, limit: offset + limit - start.passed })
  bookmarks.add(
    start.passed,
    flaws.map(({ at }) => at),
  )
  return flaws.slice(offset - start.passed)
}

/** Reads the list in its order, and skips the vulnerabilities that do not give their flaw its place. */
async function walk(
  deps: RootDeps,
  query: WalkedQuery,
  list: FilteredList,
  { after, limit }: { after: Cursor | undefined; limit: number },
): Promise<PlacedFlaw[]> {
  const placing = placings[query.sort]
  const isInPlacing = placing === query.sort
  const found: PlacedFlaw[] = []
  /** Flaws of which no later row can be the first one. */
  const passed = new Set<number>()
  let position = after
  for (let size = Math.min(limit + 10, maxBatchSize); found.length < limit; size = Math.min(2 * size, maxBatchSize)) {
    const rows = await list.read({ after: position, limit: size })
    const candidates = (await placed(deps, rows)).filter(({ key }) => {
      if (passed.has(key)) return false
      if (isInPlacing) passed.add(key)
      return true
    })
    // From the beginning, every flaw before a row has been passed.
    const isAtPlace =
      isInPlacing && !after ? undefined : await listAtPlace(deps, { ...query, sort: placing }, candidates)
    for (const flaw of candidates) {
      if (isAtPlace && !isAtPlace.has(flaw.at.id)) continue
      passed.add(flaw.key)
      found.push(flaw)
    }
    if (rows.length < size) break
    position = rows.at(-1)
    await setImmediate()
  }
  return found.slice(0, limit)
}

/** Returns the ids of those candidates that no other vulnerability of their flaw precedes. */
async function listAtPlace(
  deps: RootDeps,
  { scope: { key: scopeKey, projectIds }, filter, sort }: WalkedQuery,
  candidates: readonly PlacedFlaw[],
): Promise<ReadonlySet<number>> {
  const ids = candidates.map(({ at }) => at.id)
  const order = listOrder({ sort })
  if (hasOnlyFacets(filter)) {
    const facets = await facetSelection(deps, { key: scopeKey, projectIds }, filter)
    const preceded = new Set(await listPreceded(deps.db, ids, order, { ...facets, projectIds }))
    return new Set(ids.filter((id) => !preceded.has(id)))
  }
  const preceding = await listPreceding(deps.db, ids, order, projectIds)
  const matching = new Set<number>()
  await forEachBatch([...new Set(preceding.map(({ otherId }) => otherId))], async (batch) => {
    for (const id of await matchingAmong(deps, { projectIds, filter }, batch)) matching.add(id)
  })
  const preceded = new Set(preceding.flatMap(({ id, otherId }) => (matching.has(otherId) ? [id] : [])))
  return new Set(ids.filter((id) => !preceded.has(id)))
}
