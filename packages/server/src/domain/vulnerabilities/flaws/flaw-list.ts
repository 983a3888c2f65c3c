import { parameterProblem } from '../../../platform/failure.ts'
import type { RootDeps } from '../../deps.ts'
import { idBatches } from '../../findings/list/list-page.ts'
import { type Severity, type State, severityRanks } from '../../findings/scales.ts'
import { groupBy } from '../../group-by.ts'
import { assertReachable, type Page, type PageRequest } from '../../page.ts'
import { cachedFacetCounts } from '../list/cached-counts.ts'
import { type ListScope, matchesFacets, type VulnerabilityFilter } from '../list/filter.ts'
import { openCachedList } from '../list/list.ts'
import { type Explained, explainFlaws } from './explain.ts'
import {
  countMembers,
  listSamples,
  listScannerNames,
  type MemberCount,
  ofFlaws,
  type Scanner,
  withIds,
} from './flaw-group-queries.ts'
import { type FlawSort, hasOnlyFacets, maxPlaces, type SortedFlaws, sortFlaws } from './flaw-groups.ts'

/** A flaw, with what its members that match the filter and that the caller may read have. */
export interface ListedFlaw extends Explained {
  key: number
  title: string
  /** The highest one. */
  severity: Severity
  priority: number
  vulnerabilityCount: number
  projectCount: number
  scanners: Scanner[]
  states: Record<State, number>
  firstDetectedAt: string
}

/** Position of a flaw in a list: what the list is sorted by, and its key. */
export interface FlawCursor {
  value: number
  key: number
}

interface FlawQuery {
  scope: ListScope
  filter: VulnerabilityFilter
  sort: FlawSort
}

const maxNumberedRows = 10_000

/** Returns a page of flaws. */
export async function listFlaws(
  deps: RootDeps,
  query: FlawQuery,
  request: PageRequest<FlawCursor>,
): Promise<Page<ListedFlaw> & { next: FlawCursor | undefined }> {
  assertReachable(request, 'Vulnerability', maxNumberedRows)
  const list = await sortFlaws(deps, query)
  const isDescending = query.sort.endsWith('_desc')
  const start = startOf(list, isDescending, request)
  const places = [...Array(request.perPage + 1).keys()].flatMap((row) => {
    const at = isDescending ? list.order.length - 1 - start - row : start + row
    return list.order[at] ?? []
  })
  const positions = places.slice(0, request.perPage).map((packed) => positionOf(list, packed))
  const hasNext = places.length > request.perPage
  const rows = await describeFlaws(
    deps,
    query,
    positions.map(({ key }) => key),
  )
  return {
    rows,
    total: request.keyset ? undefined : list.keys.length,
    hasNext,
    next: hasNext ? positions.at(-1) : undefined,
  }
}

const positionOf = ({ keys }: SortedFlaws, packed: number): FlawCursor => ({
  value: Math.floor(packed / maxPlaces),
  key: keys[packed % maxPlaces] ?? 0,
})

/** Returns the number of rows that precede the page. */
function startOf(list: SortedFlaws, isDescending: boolean, { keyset, offset }: PageRequest<FlawCursor>): number {
  const after = keyset?.after
  if (!after) return offset
  if (!Number.isSafeInteger(after.value) || !Number.isSafeInteger(after.key))
    throw parameterProblem('cursor is invalid')
  const before = countWhere(list, (position) => isBefore(position, after))
  if (isDescending) return list.order.length - before + offset
  return countWhere(list, (position) => !isBefore(after, position)) + offset
}

const isBefore = (a: FlawCursor, b: FlawCursor) => a.value < b.value || (a.value === b.value && a.key < b.key)

/** Returns the number of first rows, in ascending order, that meet a condition which no later row meets. */
function countWhere(list: SortedFlaws, isMet: (position: FlawCursor) => boolean): number {
  let [low, high] = [0, list.order.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (isMet(positionOf(list, list.order[middle] ?? 0))) low = middle + 1
    else high = middle
  }
  return low
}

/** Returns the flaws in the order of their keys. Drops those that have no matching member any more. */
async function describeFlaws(
  deps: RootDeps,
  query: Omit<FlawQuery, 'sort'>,
  keys: readonly number[],
): Promise<ListedFlaw[]> {
  const counts = groupBy(await countOf(deps, query, keys), ({ flawKey }) => flawKey)
  const groups = keys.flatMap((key) => {
    const members = counts.get(key)
    return members ? [{ key, members, firstIds: firstIdsOf(members) }] : []
  })
  const scanners = await listScannerNames(deps.db, [
    ...new Set(groups.flatMap(({ members }) => members.map(({ scannerId }) => scannerId))),
  ])
  const ids = groups.flatMap(({ firstIds, members }) => [...firstIds, earliest(members)])
  const samples = new Map((await listSamples(deps.db, ids)).map((row) => [row.id, row]))
  const explained = await explainFlaws(deps, groups)
  return groups.map(({ key, members, firstIds: [sample = 0] }) => ({
    key,
    title: samples.get(sample)?.title ?? '',
    severity: members.reduce((highest, { severity }) => higherOf(highest, severity), members[0]?.severity ?? 'unknown'),
    priority: Math.max(...members.map(({ priority }) => priority)),
    vulnerabilityCount: sumOf(members),
    projectCount: new Set(members.map(({ projectId }) => projectId)).size,
    scanners: distinctScanners(scanners, members),
    states: statesOf(members),
    firstDetectedAt: samples.get(earliest(members))?.createdAt ?? deps.now(),
    ...(explained.get(key) ?? { identifiers: [], package: null, explanation: [] }),
  }))
}

async function countOf(
  deps: RootDeps,
  { scope, filter }: Omit<FlawQuery, 'sort'>,
  keys: readonly number[],
): Promise<MemberCount[]> {
  if (keys.length === 0) return []
  if (hasOnlyFacets(filter)) {
    const matching = (await cachedFacetCounts(deps, scope)).filter((count) => matchesFacets(filter, count))
    const scannerIds = [...new Set(matching.map(({ scannerId }) => scannerId))]
    return countMembers(deps.db, ofFlaws(deps.db, keys, { filter, scannerIds, projectIds: scope.projectIds }))
  }
  const flaws = filter.flaws?.filter((key) => keys.includes(key)) ?? keys
  const list = await openCachedList(deps, { scope, filter: { ...filter, flaws }, sort: 'severity_desc' })
  const counts: MemberCount[] = []
  for await (const ids of idBatches(list)) counts.push(...(await countMembers(deps.db, withIds(deps.db, ids))))
  return counts
}

/** Number of members whose identifiers are read to explain a flaw. */
const maxSamples = 10

/** Returns the first member of the highest severity, and the first ones that other scanners reported. */
function firstIdsOf(members: readonly MemberCount[]): number[] {
  const sorted = members.toSorted(
    (a, b) => severityRanks[b.severity] - severityRanks[a.severity] || a.firstId - b.firstId,
  )
  const ofScanners = new Map<number, number>()
  for (const { scannerId, firstId } of sorted) if (!ofScanners.has(scannerId)) ofScanners.set(scannerId, firstId)
  return [...ofScanners.values()].slice(0, maxSamples)
}

const earliest = (members: readonly MemberCount[]) => Math.min(...members.map(({ firstId }) => firstId))
const sumOf = (members: readonly MemberCount[]) => members.reduce((sum, { total }) => sum + total, 0)
const higherOf = (a: Severity, b: Severity) => (severityRanks[b] > severityRanks[a] ? b : a)

function statesOf(members: readonly MemberCount[]): Record<State, number> {
  const states = { detected: 0, confirmed: 0, resolved: 0, dismissed: 0 }
  for (const { state, total } of members) states[state] += total
  return states
}

/** Each project has scanners of its own, so those with one external id are one. */
function distinctScanners(scanners: readonly Scanner[], members: readonly MemberCount[]): Scanner[] {
  const ids = new Set(members.map(({ scannerId }) => scannerId))
  const byName = new Map<string, Scanner>()
  for (const scanner of scanners) {
    if (ids.has(scanner.id) && !byName.has(scanner.externalId)) byName.set(scanner.externalId, scanner)
  }
  return [...byName.values()]
}
