import { setImmediate } from 'node:timers/promises'
import type { Cache } from '../../db/cache.ts'
import type { Db } from '../../db/db.ts'
import { maxCountedRows } from '../page.ts'
import { inSlices } from '../slices.ts'
import type { CountedCell } from './cell-queries.ts'
import type { Cell } from './count-queries.ts'
import { hasCell, type ListScope, type VulnerabilityFilter, type VulnerabilitySort } from './filter.ts'
import { listStretches, listVulnerabilitiesById, type Position } from './list-queries.ts'
import { listCandidates, listPassing, type Probe, probesOf } from './probe-queries.ts'
import { layOut, type Run } from './runs.ts'
import { severityRanks } from './scales.ts'

/** A filtered list in its order, of which any part can be read. */
export interface Listing {
  /** Exact; absent where only reading the whole list would tell, and that is long. */
  total: number | undefined
  /** Where to begin reading for the row at an offset, and how many rows are between; `after` absent: the first row. */
  jump(offset: number): { after: Position | undefined; skip: number }
  /** So many rows after a position, or from the first; fewer only at the end. */
  next(after: Position | undefined, rows: number): Promise<Position[]>
}

interface ListingOptions {
  /** Remembers what was gathered. */
  memory?: Cache<Position[]>
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
    return found?.sort(comparing(sort))
  }
  const key = JSON.stringify([scope.key, filter, sort])
  const rows = memory?.peek(key) ?? (await gather())
  if (!rows) return listingOfPassing(db, inRuns, probes)
  return listingOfRows(memory ? await memory.get(key, async () => rows) : rows, sort)
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
  if (inRuns.total <= mostGathered) return passing(db, await inRuns.next(undefined, mostGathered), probes)
  const keys = new Set(wanted.map(cellKey))
  for (const probe of probes) {
    const { candidates } = probe
    if (!candidates) continue
    const ids = await listCandidates(db, projectIds, candidates, mostGathered + 1)
    if (ids.length > mostGathered) continue
    const rows: Position[] = []
    await inSlices(ids, async (slice) => {
      for (const found of await listVulnerabilitiesById(db, slice)) {
        if (keys.has(cellKey(found))) rows.push({ severity: severityRanks[found.severity], id: found.id })
      }
    })
    const others = probes.filter((other) => other !== probe)
    return others.length === 0 ? rows : passing(db, rows, others)
  }
  return undefined
}

function cellKey(cell: Cell & { projectId: number }): string {
  const { projectId, isOnDefaultBranch, severity, state, reportType, scannerId } = cell
  const { isResolvedOnDefaultBranch, dismissalReason } = cell
  const key = [projectId, isOnDefaultBranch, severity, state, reportType, scannerId, isResolvedOnDefaultBranch]
  return `${key.join(' ')} ${dismissalReason ?? ''}`
}

async function passing(db: Db, rows: readonly Position[], probes: readonly Probe[]): Promise<Position[]> {
  const found: Position[] = []
  await inSlices(rows, async (slice) => {
    const ids = await listPassing(
      db,
      slice.map(({ id }) => id),
      probes,
    )
    found.push(...slice.filter(({ id }) => ids.has(id)))
  })
  return found
}

/** A list that is held whole. */
function listingOfRows(rows: readonly Position[], sort: VulnerabilitySort): Listing {
  const isBehind = comparing(sort)
  return {
    total: rows.length,
    jump: (offset) => ({ after: rows[offset - 1] ?? (offset > 0 ? rows.at(-1) : undefined), skip: 0 }),
    async next(after, count) {
      const start = after ? rows.findIndex((row) => isBehind(row, after) > 0) : 0
      return start < 0 ? [] : rows.slice(start, start + count)
    },
  }
}

/** Rows looked at in one go, at least and at most. */
const [fewest, most] = [100, 500]

/** A list that is read in its order, passing by what the probes do not let through. */
function listingOfPassing(db: Db, inRuns: Listing, probes: readonly Probe[]): Listing {
  return {
    total: undefined,
    jump: (offset) => ({ after: undefined, skip: offset }),
    async next(after, count) {
      const found: Position[] = []
      let size = Math.max(fewest, Math.min(2 * count, most))
      for (let at = after; found.length < count; size = most) {
        const rows = await inRuns.next(at, size)
        found.push(...(await passing(db, rows, probes)))
        at = rows.at(-1)
        if (rows.length < size) break
      }
      return found.slice(0, count)
    },
  }
}

/** Below zero when the first comes first. */
function comparing(sort: VulnerabilitySort): (a: Position, b: Position) => number {
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
