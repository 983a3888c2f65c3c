import { parameterProblem } from '../../../platform/failure.ts'
import { forEachBatch } from '../../batches.ts'
import type { RootDeps } from '../../deps.ts'
import { type Cursor, isPositionIn } from '../../findings/list/cursor.ts'
import { assertNumbered, type ListPageRequest } from '../../findings/list/list-page.ts'
import { type Severity, type State, severityRanks } from '../../findings/scales.ts'
import { groupBy } from '../../group-by.ts'
import { type Page, pageOf } from '../../page.ts'
import { type ListScope, type VulnerabilityFilter, type VulnerabilitySort, vulnerabilitySorts } from '../list/filter.ts'
import { listOrder } from '../list/list.ts'
import { matchingAmong } from '../list/matching.ts'
import { type Explained, explainFlaws } from './explain.ts'
import { facetSelection, hasOnlyFacets } from './facet-selection.ts'
import { type CountSort, countOrders, openCountedFlaws } from './flaw-counts.ts'
import {
  countMembers,
  listFlawKeys,
  listMembers,
  listSamples,
  listScannerNames,
  type MemberCount,
  ofFlaws,
  type Scanner,
  withIds,
} from './flaw-group-queries.ts'
import { type FlawLimits, openPlacedFlaws, type PlacedFlaws, usualLimits } from './flaw-walk.ts'

export const flawSorts = [...vulnerabilitySorts, 'count_desc', 'count_asc'] as const
export type FlawSort = VulnerabilitySort | CountSort

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

interface MembersQuery {
  scope: ListScope
  filter: VulnerabilityFilter
}

export type FlawQuery = MembersQuery & { sort: FlawSort }

/** Returns a page of flaws. */
export async function listFlaws(
  deps: RootDeps,
  query: FlawQuery,
  request: ListPageRequest,
  limits: FlawLimits = usualLimits,
): Promise<Page<ListedFlaw> & { next: Cursor | undefined }> {
  assertNumbered(request, 'Vulnerability')
  const { keyset, offset, perPage } = request
  const after = keyset?.after
  if (after && !isPositionOf(query.sort, after)) throw parameterProblem('cursor is invalid')
  const list = await openFlaws(deps, query, limits)
  const found = await list.read({ after, offset, limit: perPage + 1 })
  const { rows, ...page } = pageOf(request, found, keyset ? undefined : list.total)
  return {
    ...page,
    rows: await describeFlaws(
      deps,
      query,
      rows.map(({ key }) => key),
    ),
    next: page.hasNext ? rows.at(-1)?.at : undefined,
  }
}

/** Returns the key of the flaw that a vulnerability is; undefined until a job has computed it. */
export async function findFlawKey({ db }: Pick<RootDeps, 'db'>, vulnerabilityId: number): Promise<number | undefined> {
  return (await listFlawKeys(db, [vulnerabilityId])).get(vulnerabilityId)
}

function openFlaws(deps: RootDeps, query: FlawQuery, limits: FlawLimits): Promise<PlacedFlaws> {
  const { sort } = query
  return isCount(sort)
    ? openCountedFlaws(deps, { ...query, sort }, limits)
    : openPlacedFlaws(deps, { ...query, sort }, limits)
}

const isPositionOf = (sort: FlawSort, cursor: Cursor): boolean =>
  isPositionIn(isCount(sort) ? countOrders[sort] : listOrder({ sort }), cursor)

const isCount = (sort: FlawSort): sort is CountSort => sort === 'count_desc' || sort === 'count_asc'

/** Returns the flaws in the order of their keys. Drops those that have no matching member any more. */
async function describeFlaws(deps: RootDeps, query: MembersQuery, keys: readonly number[]): Promise<ListedFlaw[]> {
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
  { scope, filter }: MembersQuery,
  keys: readonly number[],
): Promise<MemberCount[]> {
  if (keys.length === 0) return []
  const { projectIds } = scope
  if (hasOnlyFacets(filter)) {
    const facets = await facetSelection(deps, scope, filter)
    return countMembers(deps.db, ofFlaws(deps.db, keys, { ...facets, projectIds }))
  }
  const counts: MemberCount[] = []
  await forEachBatch(await listMembers(deps.db, keys, projectIds), async (ids) => {
    const matching = await matchingAmong(deps, { projectIds, filter }, ids)
    counts.push(...(await countMembers(deps.db, withIds(deps.db, [...matching]))))
  })
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
