import { setImmediate } from 'node:timers/promises'
import { openCache, perDatabase } from '../../../db/cache.ts'
import type { RootDeps } from '../../deps.ts'
import { idBatches } from '../../findings/list/list-page.ts'
import { cachedFacetCounts, facetTables, onlyProjectOf } from '../list/cached-counts.ts'
import type { FacetCount } from '../list/facet-count-queries.ts'
import { type ListScope, matchesFacets, type VulnerabilityFilter } from '../list/filter.ts'
import { filteredTables, openCachedList } from '../list/list.ts'
import { listGroups, listMembersById, type MemberGroup } from './flaw-group-queries.ts'

export const flawSorts = [
  'severity_desc',
  'severity_asc',
  'priority_desc',
  'priority_asc',
  'count_desc',
  'count_asc',
] as const
export type FlawSort = (typeof flawSorts)[number]

/** Flaws of a list with what they are sorted by. The arrays have the same order. */
interface FlawGroups {
  keys: Float64Array
  /** Number of members that match the filter. */
  counts: Uint32Array
  /** Highest severity and highest priority of these members, packed. */
  ranks: Uint16Array
}

/** Flaws in the order of their keys, and their positions in the order of a list, packed with what it is sorted by. */
export interface SortedFlaws {
  keys: Float64Array
  order: Float64Array
}

/** About 16 bytes each. */
const maxCached = 3_000_000
/** Number of vulnerabilities that one statement reads. SQLite executes one at a time. */
const rowsPerStatement = 20_000
const maxKey = 2 ** 52

const ofProjects = perDatabase((changes) =>
  openCache<FlawGroups>(changes, ['vulnerabilities'], maxCached, ({ keys }) => keys.length + 1),
)
const sorted = perDatabase((changes) =>
  openCache<SortedFlaws>(changes, [...facetTables, ...filteredTables], maxCached, ({ keys }) => keys.length + 1),
)

interface GroupsQuery {
  scope: ListScope
  filter: VulnerabilityFilter
  sort: FlawSort
}

/**
 * Returns the flaws of a list in its order. They are cached for each project, so after a change only those of its project
 * are read again.
 */
export async function sortFlaws(deps: RootDeps, { scope, filter, sort }: GroupsQuery): Promise<SortedFlaws> {
  const [by] = sort.split('_')
  const today = filter.isOverdue === undefined ? '' : deps.now().slice(0, 10)
  const load = async () => {
    // Read here, after the version that the cache records: counts from before it would hide a change for good.
    const groups = hasOnlyFacets(filter)
      ? await groupsOfProjects(deps, { filter, counts: await cachedFacetCounts(deps, scope) })
      : [await groupsOfList(deps, scope, filter)]
    return inOrder(merge(groups), by as 'severity' | 'priority' | 'count') // the beginnings of `flawSorts`
  }
  return sorted(deps.db).getShared(JSON.stringify([scope.key, filter, by, today]), load, onlyProjectOf(scope))
}

const facetFields: ReadonlySet<string> = new Set<keyof VulnerabilityFilter>([
  ...(['states', 'severities', 'reportTypes', 'scanners', 'dismissalReasons'] as const),
  ...(['isResolvedOnDefaultBranch', 'isOnDefaultBranch'] as const),
])

/** Returns whether an index covers the filter. */
export const hasOnlyFacets = (filter: VulnerabilityFilter): boolean =>
  Object.entries(filter).every(([field, value]) => value === undefined || facetFields.has(field))

async function groupsOfProjects(
  deps: RootDeps,
  { filter, counts }: { filter: VulnerabilityFilter; counts: readonly FacetCount[] },
): Promise<FlawGroups[]> {
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
  const groups: FlawGroups[] = []
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
): Promise<FlawGroups> {
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

/** Reads the flaws of a list whose filter no index covers from the list itself. */
async function groupsOfList(deps: RootDeps, scope: ListScope, filter: VulnerabilityFilter): Promise<FlawGroups> {
  const list = await openCachedList(deps, { scope, filter, sort: 'severity_desc' })
  const groups = new Map<number, MemberGroup>()
  for await (const ids of idBatches(list)) {
    for (const { flawKey, severity, priority } of await listMembersById(deps.db, ids)) {
      const known = groups.get(flawKey) ?? { flawKey, severity: 0, priority: 0, total: 0 }
      known.severity = Math.max(known.severity, severity)
      known.priority = Math.max(known.priority, priority)
      known.total++
      groups.set(flawKey, known)
    }
    await setImmediate()
  }
  return packed([...groups.values()])
}

const severityBits = 7

function packed(rows: readonly MemberGroup[]): FlawGroups {
  return {
    keys: Float64Array.from(rows, ({ flawKey }) => flawKey),
    counts: Uint32Array.from(rows, ({ total }) => total),
    ranks: Uint16Array.from(rows, ({ severity, priority }) => (severity << severityBits) | priority),
  }
}

/** Merges the flaws of projects, and returns them in the order of their keys. */
function merge(parts: readonly FlawGroups[]): FlawGroups {
  const places = new Map<number, number>()
  for (const { keys } of parts) for (const key of keys) places.set(key, 0)
  const keys = Float64Array.from(places.keys()).sort()
  for (const [index, key] of keys.entries()) places.set(key, index)
  const counts = new Uint32Array(keys.length)
  const ranks = new Uint16Array(keys.length)
  for (const part of parts) {
    for (const [index, key] of part.keys.entries()) {
      const at = places.get(key) ?? 0
      counts[at] = (counts[at] ?? 0) + (part.counts[index] ?? 0)
      ranks[at] = higher(ranks[at] ?? 0, part.ranks[index] ?? 0)
    }
  }
  return { keys, counts, ranks }
}

const priorityMask = (1 << severityBits) - 1

function higher(a: number, b: number): number {
  const severity = Math.max(a >> severityBits, b >> severityBits)
  return (severity << severityBits) | Math.max(a & priorityMask, b & priorityMask)
}

/** More flaws than any instance has. */
export const maxPlaces = 2 ** 24

/** Packs what a list is sorted by with the place of the key, which is the tie-breaker. */
function inOrder({ keys, counts, ranks }: FlawGroups, by: 'severity' | 'priority' | 'count'): SortedFlaws {
  const order = new Float64Array(keys.length)
  for (let at = 0; at < keys.length; at++) {
    const rank = ranks[at] ?? 0
    const value =
      by === 'count'
        ? (counts[at] ?? 0)
        : by === 'severity'
          ? rank
          : ((rank & priorityMask) << 3) | (rank >> severityBits)
    order[at] = value * maxPlaces + at
  }
  return { keys, order: order.sort() }
}
