import { setImmediate } from 'node:timers/promises'
import type { Db } from '../../../db/db.ts'
import { readCandidates } from './candidate-queries.ts'
import type { CountedCell } from './cell-queries.ts'
import { codes } from './codes.ts'
import { areWanted, selectListed } from './facet-queries.ts'
import { hasCell, type ListScope, type VulnerabilityFilter, type VulnerabilitySort } from './filter.ts'
import type { Way } from './gather.ts'
import { type GatheredOptions, openGathered, type Remembered } from './gathered-listing.ts'
import { type InOrder, type Listing, type Test, wayThrough } from './held-listing.ts'
import { listStretches, type Position } from './list-queries.ts'
import { readFrom, type Start } from './marked-listing.ts'
import { listPassing, probesOf } from './probe-queries.ts'
import { layOut, type Run } from './runs.ts'

interface ListingOptions extends Omit<GatheredOptions, 'key' | 'memory'> {
  memory?: Remembered | undefined
}

export async function openListing(
  db: Db,
  cells: readonly CountedCell[],
  scope: ListScope,
  filter: VulnerabilityFilter,
  sort: VulnerabilitySort,
  { memory, ...limits }: ListingOptions = {},
): Promise<Listing> {
  const key = JSON.stringify([scope.key, filter, sort])
  const wanted = cells.filter((cell) => hasCell(filter, cell))
  const runs = layOut(cells, wanted, sort)
  const inRuns = readerOfRuns(db, runs, sort)
  const total = runs.reduce((sum, { total }) => sum + total, 0)
  const probes = probesOf(db, filter, scope.projectIds)
  if (probes.length === 0 || total === 0) {
    const marks = { milestones: memory?.milestones, key }
    const at: Listing['at'] = (offset, rows) => readFrom(inRuns, codes[sort], marks, startOf(runs, offset), rows)
    return { total, at, ...inRuns }
  }
  const test: Test = (ids) => listPassing(db, 'vulnerability_id', ids, probes)
  const facets = areWanted(db, filter, wanted)
  const bySources = probes.flatMap((probe): Way[] => {
    const { sources } = probe
    if (!sources) return []
    const others = probes.filter((other) => other !== probe)
    return [{ go: () => readCandidates(db, sources, (found) => selectListed(db, found, facets, others)) }]
  })
  // Race the indexes of the unindexed filters against a scan of everything that the facets match.
  const waitsMs = Math.min(total * msThroughEach, mostWaitedMs)
  const ways = [...bySources, { go: () => wayThrough(inRuns, test), waitsMs }]
  const list = { inOrder: inRuns, test, ways, code: codes[sort], isCounted: true }
  return openGathered(list, { ...limits, memory: memory?.gathered, key })
}

/**
 * Estimated time per row of a scan, which is ten times the time per candidate. The index lookups get a head start of
 * this time, limited so that a short scan is not delayed.
 */
const [msThroughEach, mostWaitedMs] = [0.005, 25]

/** Creates a reader of index ranges. Needs no filter, because the facet counts describe the whole list. */
function readerOfRuns(db: Db, runs: readonly Run[], sort: VulnerabilitySort): InOrder {
  const direction = sort === 'detected_asc' ? 'asc' : 'desc'
  const isBehind = comparing(sort)
  return {
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

/** Determines from the counts the segment that contains an offset. */
function startOf(runs: readonly Run[], offset: number): Start {
  let skip = offset
  for (const { first, total } of runs) {
    if (skip < total) return { after: first, skip }
    skip -= total
  }
  // Beyond the end, where no rows follow.
  return { after: runs.at(-1)?.last, skip: 0 }
}

/** Maximum number of ranges in one statement, which limits its length. */
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
