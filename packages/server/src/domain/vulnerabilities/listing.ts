import { setImmediate } from 'node:timers/promises'
import type { Cache } from '../../db/cache.ts'
import type { Db } from '../../db/db.ts'
import { maxCountedRows } from '../page.ts'
import { inSlices } from '../slices.ts'
import type { CountedCell } from './cell-queries.ts'
import type { Cell } from './count-queries.ts'
import { hasCell, type ListScope, type VulnerabilityFilter, type VulnerabilitySort } from './filter.ts'
import { heldListing, type Listing, type Order, passing, type Test, testedListing } from './held-listing.ts'
import { listStretches, listVulnerabilitiesById, type Position } from './list-queries.ts'
import { listCandidates, listPassing, type Probe, probesOf } from './probe-queries.ts'
import { layOut, type Run } from './runs.ts'
import { severityRanks } from './scales.ts'

interface ListingOptions {
  /** Remembers what was gathered. */
  memory?: Cache<Position[] | 'too many'>
  /** Whatever part of a filter has no more than this is gathered and sorted; longer ones are read in their order. */
  mostGathered?: number
}

export async function openListing(
  db: Db,
  cells: readonly CountedCell[],
  scope: ListScope,
  filter: VulnerabilityFilter,
  sort: VulnerabilitySort,
  { memory, mostGathered = maxCountedRows }: ListingOptions = {},
): Promise<Listing> {
  const wanted = cells.filter((cell) => hasCell(filter, cell))
  const runs = layOut(cells, wanted, sort)
  const inRuns = listingOfRuns(db, runs, sort)
  const probes = probesOf(db, filter)
  if (probes.length === 0 || inRuns.total === 0) return inRuns
  const gather = async () => {
    const found = await gatherRows(db, scope, wanted, inRuns, probes, mostGathered)
    return found?.sort(comparing(sort)) ?? 'too many'
  }
  const rows = await (memory ? memory.get(JSON.stringify([scope.key, filter, sort]), gather) : gather())
  return rows === 'too many' ? testedListing(inRuns, testing(db, probes)) : heldListing(rows, comparing(sort))
}

/** What kept counts know all of: stretches of an index, merged. */
function listingOfRuns(db: Db, runs: readonly Run[], sort: VulnerabilitySort): Listing & { total: number } {
  const direction = sort === 'detected_asc' ? 'asc' : 'desc'
  const isBehind = comparing(sort)
  return {
    total: runs.reduce((sum, { total }) => sum + total, 0),
    jump(offset) {
      let skip = offset
      for (const { first, total } of runs) {
        if (skip < total) return { after: first, skip }
        skip -= total
      }
      // Past the end, where nothing is read.
      return { after: runs.at(-1)?.last, skip: 0 }
    },
    async next(after, rows) {
      const found: Position[] = []
      for (const { stretches, first, last } of runs) {
        if (found.length >= rows) break
        if (after && isBehind(last, after) <= 0) continue
        const from = after && isBehind(after, first) > 0 ? after.id : undefined
        found.push(...(await mergeStretches(db, stretches, direction, from, rows - found.length)))
      }
      return found
    },
  }
}

/** More in one statement would be too long a text. */
const mostMerged = 100

async function mergeStretches(
  db: Db,
  stretches: Run['stretches'],
  direction: 'asc' | 'desc',
  after: number | undefined,
  limit: number,
): Promise<Position[]> {
  const parts: Position[][] = []
  for (let start = 0; start < stretches.length; start += mostMerged) {
    parts.push(await listStretches(db, stretches.slice(start, start + mostMerged), direction, after, limit))
    if (start > 0) await setImmediate()
  }
  if (parts.length < 2) return parts[0] ?? []
  const sign = direction === 'asc' ? 1 : -1
  return parts
    .flat()
    .sort((a, b) => sign * (a.id - b.id))
    .slice(0, limit)
}

/** All rows of a list, as long as some part of its filter has few enough; unsorted. */
async function gatherRows(
  db: Db,
  { projectIds }: ListScope,
  wanted: readonly CountedCell[],
  inRuns: Listing & { total: number },
  probes: readonly Probe[],
  mostGathered: number,
): Promise<Position[] | undefined> {
  if (inRuns.total <= mostGathered) return passing(await inRuns.next(undefined, mostGathered), testing(db, probes))
  const keys = new Set(wanted.map(cellKey))
  for (const probe of probes) {
    const { candidates } = probe
    if (!candidates) continue
    const ids = await listCandidates(db, 'vulnerability_id', candidates(projectIds), mostGathered)
    if (ids === 'too many') continue
    const rows: Position[] = []
    await inSlices(ids, async (slice) => {
      for (const found of await listVulnerabilitiesById(db, slice)) {
        if (keys.has(cellKey(found))) rows.push({ severity: severityRanks[found.severity], id: found.id })
      }
    })
    const others = probes.filter((other) => other !== probe)
    return others.length === 0 ? rows : passing(rows, testing(db, others))
  }
  return undefined
}

const testing =
  (db: Db, probes: readonly Probe[]): Test =>
  (ids) =>
    listPassing(db, 'vulnerability_id', ids, probes)

function cellKey(cell: Cell & { projectId: number }): string {
  const { projectId, isOnDefaultBranch, severity, state, reportType, scannerId } = cell
  const { isResolvedOnDefaultBranch, dismissalReason } = cell
  const key = [projectId, isOnDefaultBranch, severity, state, reportType, scannerId, isResolvedOnDefaultBranch]
  return `${key.join(' ')} ${dismissalReason ?? ''}`
}

function comparing(sort: VulnerabilitySort): Order {
  switch (sort) {
    case 'severity_desc':
      return (a, b) => b.severity - a.severity || b.id - a.id
    case 'severity_asc':
      return (a, b) => a.severity - b.severity || b.id - a.id
    case 'detected_desc':
      return (a, b) => b.id - a.id
    case 'detected_asc':
      return (a, b) => a.id - b.id
  }
}
