import { setImmediate } from 'node:timers/promises'
import { openCache, perDatabase } from '../../../db/cache.ts'
import type { RootDeps } from '../../deps.ts'
import type { Cursor } from '../../findings/list/cursor.ts'
import { idBatches } from '../../findings/list/list-page.ts'
import { cachedFacetCounts, facetTables, onlyProjectOf } from '../list/counts/cached-counts.ts'
import type { FacetCount } from '../list/facet-count-queries.ts'
import { type ListScope, matchesFacets, type VulnerabilityFilter } from '../list/filter.ts'
import { filteredTables, openCachedList } from '../list/list.ts'
import { hasOnlyFacets } from './facet-selection.ts'
import { listFlawKeys, listGroups, type MemberGroup } from './flaw-group-queries.ts'
import type { PlacedFlaw, PlacedFlaws } from './flaw-walk.ts'

export type CountSort = 'count_desc' | 'count_asc'

/** Flaws of a project with their numbers of vulnerabilities, in the same order. */
interface FlawCounts {
  keys: Float64Array
  counts: Uint32Array
}

/** Flaws in the order of their keys, and their positions in the order of their counts, packed with these. */
interface SortedFlaws {
  keys: Float64Array
  order: Float64Array
}

/** About 16 bytes each. */
const maxCached = 3_000_000
/** Number of vulnerabilities that one statement reads. SQLite executes one at a time. */
const rowsPerStatement = 20_000
const maxKey = 2 ** 52

const ofProjects = perDatabase((changes) =>
  openCache<FlawCounts>(changes, ['vulnerabilities'], maxCached, ({ keys }) => keys.length + 1),
)
const sorted = perDatabase((changes) =>
  openCache<SortedFlaws>(changes, [...facetTables, ...filteredTables], maxCached, ({ keys }) => keys.length + 1),
)

interface CountedQuery {
  scope: ListScope
  filter: VulnerabilityFilter
  sort: CountSort
}

/**
 * Opens the flaws of a list in the order of their numbers of vulnerabilities. These depend on all rows of the list. They
 * are cached for each project, so after a change only those of its project are counted again.
 */
export async function openCountedFlaws(deps: RootDeps, { scope, filter, sort }: CountedQuery): Promise<PlacedFlaws> {
  const today = filter.isOverdue === undefined ? '' : deps.now().slice(0, 10)
  const load = async () => {
    // Read here, after the version that the cache records: counts from before it would hide a change for good.
    const counts = hasOnlyFacets(filter)
      ? await countsOfProjects(deps, { filter, counts: await cachedFacetCounts(deps, scope) })
      : [await countsOfList(deps, scope, filter)]
    return inOrder(merge(counts))
  }
  const list = await sorted(deps.db).getShared(JSON.stringify([scope.key, filter, today]), load, onlyProjectOf(scope))
  const isDescending = sort === 'count_desc'
  return {
    total: list.keys.length,
    async read({ after, offset = 0, limit }) {
      const start = offset + startOf(list, isDescending, after)
      return [...Array(limit).keys()].flatMap((row) => {
        const packed = list.order[isDescending ? list.order.length - 1 - start - row : start + row]
        return packed === undefined ? [] : placedAt(list, packed)
      })
    },
  }
}

function placedAt({ keys }: SortedFlaws, packed: number): PlacedFlaw {
  const key = keys[packed % maxPlaces] ?? 0
  return { key, at: { severity: 0, sortKey: Math.floor(packed / maxPlaces), id: key } }
}

/** Returns the number of rows up to and including a position. */
function startOf(list: SortedFlaws, isDescending: boolean, after: Cursor | undefined): number {
  if (!after) return 0
  if (isDescending) return list.order.length - countWhere(list, (position) => isBefore(position, after))
  return countWhere(list, (position) => !isBefore(after, position))
}

const isBefore = (a: Cursor, b: Cursor) =>
  Number(a.sortKey) < Number(b.sortKey) || (a.sortKey === b.sortKey && a.id < b.id)

/** Returns the number of first rows, in ascending order, that meet a condition which no later row meets. */
function countWhere(list: SortedFlaws, isMet: (position: Cursor) => boolean): number {
  let [low, high] = [0, list.order.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (isMet(placedAt(list, list.order[middle] ?? 0).at)) low = middle + 1
    else high = middle
  }
  return low
}

async function countsOfProjects(
  deps: RootDeps,
  { filter, counts }: { filter: VulnerabilityFilter; counts: readonly FacetCount[] },
): Promise<FlawCounts[]> {
  const rows = new Map<number, { all: number; scannerIds: Set<number>; isMatched: boolean }>()
  for (const count of counts) {
    const known = rows.get(count.projectId) ?? { all: 0, scannerIds: new Set(), isMatched: false }
    known.all += count.total
    if (matchesFacets(filter, count)) {
      known.isMatched = true
      known.scannerIds.add(count.scannerId)
    }
    rows.set(count.projectId, known)
  }
  const filterKey = JSON.stringify(filter)
  const groups: FlawCounts[] = []
  for (const [projectId, { all, scannerIds, isMatched }] of rows) {
    if (!isMatched) continue
    const cached = ofProjects(deps.db)
    const load = () => readProject(deps, { projectId, filter, scannerIds: [...scannerIds], rowCount: all })
    // The ids are part of the key, because the counts may be older than the version that the cache records.
    const key = [projectId, filterKey, ...(filter.scanners ? scannerIds : [])].join(' ')
    groups.push(await cached.getShared(key, load, projectId))
  }
  return groups
}

async function readProject(
  { db }: RootDeps,
  {
    projectId,
    rowCount,
    ...facets
  }: { projectId: number; filter: VulnerabilityFilter; scannerIds: readonly number[]; rowCount: number },
): Promise<FlawCounts> {
  const rows: MemberGroup[] = []
  const statements = Math.max(1, Math.ceil(rowCount / rowsPerStatement))
  // Keys are hashes, so equal ranges of keys have about as many rows.
  for (let at = 0; at < statements; at++) {
    const [from, to] = [at, at + 1].map((part) => Math.floor((part * maxKey) / statements))
    rows.push(...(await listGroups(db, projectId, facets, { from: from ?? 0, to: to ?? maxKey })))
    if (statements > 1) await setImmediate()
  }
  return packed(rows)
}

/** Counts the flaws of a list whose filter no index covers from the list itself. */
async function countsOfList(deps: RootDeps, scope: ListScope, filter: VulnerabilityFilter): Promise<FlawCounts> {
  const list = await openCachedList(deps, { scope, filter, sort: 'severity_desc' })
  const totals = new Map<number, number>()
  for await (const ids of idBatches(list)) {
    for (const key of (await listFlawKeys(deps.db, ids)).values()) totals.set(key, (totals.get(key) ?? 0) + 1)
    await setImmediate()
  }
  return packed([...totals].map(([flawKey, total]) => ({ flawKey, total })))
}

const packed = (rows: readonly MemberGroup[]): FlawCounts => ({
  keys: Float64Array.from(rows, ({ flawKey }) => flawKey),
  counts: Uint32Array.from(rows, ({ total }) => total),
})

/** Merges the flaws of projects, and returns them in the order of their keys. */
function merge(parts: readonly FlawCounts[]): FlawCounts {
  const places = new Map<number, number>()
  for (const { keys } of parts) for (const key of keys) places.set(key, 0)
  const keys = Float64Array.from(places.keys()).sort()
  for (const [index, key] of keys.entries()) places.set(key, index)
  const counts = new Uint32Array(keys.length)
  for (const part of parts) {
    for (const [index, key] of part.keys.entries()) {
      const at = places.get(key) ?? 0
      counts[at] = (counts[at] ?? 0) + (part.counts[index] ?? 0)
    }
  }
  return { keys, counts }
}

/** More flaws than any instance has. */
const maxPlaces = 2 ** 24

/** Packs the count with the place of the key, which is the tie-breaker. */
function inOrder({ keys, counts }: FlawCounts): SortedFlaws {
  const order = Float64Array.from(counts, (count, at) => count * maxPlaces + at)
  return { keys, order: order.sort() }
}
