import type { Db } from '../../../db/db.ts'
import type { ListOrder } from '../../findings/list/cursor.ts'
import type { IndexRanges, RangeRequest } from '../../findings/list/index-range.ts'
import { severityRanks } from '../../findings/scales.ts'
import { groupBy } from '../../group-by.ts'
import type { FacetCount } from './facet-count-queries.ts'
import type { InstanceRow } from './instance-index-queries.ts'
import { scanInstanceIndex } from './instance-index-scan.ts'
import { type FacetRange, listFromRanges, maxRangesPerStatement } from './list-queries.ts'

interface RangeCounts {
  /** Facet counts of the projects. */
  all: readonly FacetCount[]
  /** Those that match the filter. */
  matching: readonly FacetCount[]
  /**
   * Narrows the ranges to the rows of one assignee, or without one (null). Such ranges contain all facets of a severity,
   * so the rows must be tested, and their counts are upper bounds. Not possible with a sort key.
   */
  assigneeId?: number | null | undefined
  /** Returns whether a row of any project is in the list. */
  isListed: (row: InstanceRow) => boolean
}

/** Limits of the scan of an instance-wide index. */
export interface ScanLimits {
  /** Minimum number of facet counts of a list that is read by a scan. */
  minCounts: number
  /** Returns the number of rows after which a scan for `limit` rows stops, given the number of facet counts. */
  maxVisited: (counts: number, limit: number) => number
}

/**
 * The limit of a scan is about the cost of reading the page from index ranges, so a scan that stops at most doubles the
 * cost of the page. Finding the first row of a range takes as long as visiting five rows, and a hundred ranges that may
 * have rows of the page take a statement that reads as many rows as the page has.
 */
export const defaultScanLimits: ScanLimits = {
  minCounts: maxRangesPerStatement + 1,
  maxVisited: (counts, limit) => 1_000 + 5 * counts + (Math.min(counts, limit) * limit) / maxRangesPerStatement,
}

/**
 * Returns the index ranges of a list in its order: one for each severity, or a single one if the list is not ordered by
 * severity.
 */
export function indexRanges(db: Db, list: RangeCounts, order: ListOrder, limits: ScanLimits): IndexRanges {
  const { matching, assigneeId } = list
  const ordered = matching.length === 0 ? [] : inOrder(matching, order)
  // A page reads few of the severities, and a list of many projects has thousands of ranges.
  const read = (groups: typeof ordered, request: RangeRequest) =>
    listFromRanges(
      db,
      groups.map(({ counts }) => rangesOf(list, counts, order)),
      order,
      request,
    )
  return {
    ranges: ordered.map(({ severity, counts }) => ({
      severity,
      total: rowCount(counts),
      count: async () => (assigneeId === undefined ? rowCount(counts) : Number.POSITIVE_INFINITY),
    })),
    async read(start, end, request) {
      const groups = ordered.slice(start, end)
      const counts = groups.reduce((sum, { counts }) => sum + counts.length, 0)
      if (counts < limits.minCounts) return read(groups, request)
      const wanted = request.offset + request.limit
      const maxVisited = limits.maxVisited(counts, wanted)
      const severities = groups.map(({ severity }) => severity)
      const scan = { order, severities, assigneeId: assigneeId ?? undefined, isListed: list.isListed }
      const { rows, stopped } = await scanInstanceIndex(db, scan, { after: request.after, limit: wanted, maxVisited })
      const found = rows.slice(request.offset)
      if (!stopped) return found
      const rest = { offset: Math.max(request.offset - rows.length, 0), limit: request.limit - found.length }
      return [...found, ...(await read(groups.slice(stopped.index), { after: stopped.after, ...rest }))]
    },
  }
}

function inOrder(counts: readonly FacetCount[], { severity: direction }: ListOrder) {
  if (direction === undefined) return [{ severity: undefined, counts }]
  const bySeverity = groupBy(counts, ({ severity }) => severityRanks[severity])
  const ascending = [...bySeverity].map(([severity, counts]) => ({ severity, counts }))
  ascending.sort((a, b) => a.severity - b.severity)
  return direction === 'asc' ? ascending : ascending.reverse()
}

function rangesOf({ all, assigneeId }: RangeCounts, counts: readonly FacetCount[], order: ListOrder): FacetRange[] {
  if (assigneeId !== undefined) return assigneeRanges(assigneeId, counts)
  return order.key ? counts.map(exactRange) : facetRanges(all, counts)
}

export function rowCount(counts: readonly FacetCount[]): number {
  return counts.reduce((sum, { total }) => sum + total, 0)
}

/** Returns one range for each facet count, or a single one where all counts of a severity match. */
function facetRanges(all: readonly FacetCount[], matching: readonly FacetCount[]): FacetRange[] {
  const sizes = combinationsOf(all)
  return [...groupBy(matching, severityKey)].flatMap(([key, counts]): FacetRange[] => {
    if (counts.length < (sizes.get(key) ?? 0)) {
      return counts.map(exactRange)
    }
    return counts.slice(0, 1).map(rangeOf)
  })
}

const assigneeRanges = (assigneeId: number | null, counts: readonly FacetCount[]): FacetRange[] =>
  [...groupBy(counts, severityKey)].flatMap(([, counts]) =>
    counts.slice(0, 1).map((count) => ({ ...rangeOf(count), assigneeId })),
  )

const combinations = new WeakMap<readonly FacetCount[], ReadonlyMap<string, number>>()

/** Returns the number of facet counts of each severity. Facet counts are cached, so it is computed once for many lists. */
function combinationsOf(all: readonly FacetCount[]): ReadonlyMap<string, number> {
  const known = combinations.get(all)
  if (known) return known
  const sizes = new Map([...groupBy(all, severityKey)].map(([key, counts]) => [key, counts.length]))
  combinations.set(all, sizes)
  return sizes
}

const rangeOf = ({ projectId, isOnDefaultBranch, severity }: FacetCount): FacetRange => ({
  projectId,
  isOnDefaultBranch,
  severity,
})

/** The index of a sort key has only exact combinations in its order. */
const exactRange = (count: FacetCount): FacetRange => ({ ...rangeOf(count), facets: count })

const severityKey = ({ projectId, isOnDefaultBranch, severity }: FacetCount) =>
  `${projectId} ${isOnDefaultBranch} ${severity}`
