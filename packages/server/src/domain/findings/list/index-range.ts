import type { Cursor, ListOrder } from './cursor.ts'

/** Rows of one severity, or of all, that the database reads in the order of their ids from an index. */
interface IndexRange {
  /** Absent if the list is not ordered by severity. */
  severity?: number | undefined
  /** Number of rows, if known. */
  total?: number | undefined
  /** Counts the rows. May stop at `max`. */
  count(max: number): Promise<number>
}

/** The ranges of a list in its order, which together contain its rows. */
export interface IndexRanges {
  ranges: readonly IndexRange[]
  /** Reads rows of the ranges from `start` to before `end` in the order of the list, a page in one statement. */
  read(start: number, end: number, request: RangeRequest): Promise<Cursor[]>
}

export interface RangeRequest {
  /** Position in the first range. Absent: from its beginning. */
  after: Cursor | undefined
  offset: number
  limit: number
}

/** Requests rows from an offset, which counts from the start or from a cursor. */
export interface RowRequest {
  after?: Cursor | undefined
  offset?: number | undefined
  limit: number
}

/** Rows of one page. Larger batches read one range after the other, because few of them reach the next one. */
const maxPageRows = 101

/** Reads rows from index ranges in the order of the list. Returns fewer rows than requested only at the end. */
export async function readRanges(
  { ranges, read }: IndexRanges,
  order: ListOrder,
  { after, offset = 0, limit }: RowRequest,
): Promise<Cursor[]> {
  const rows: Cursor[] = []
  let skip = offset
  let end: number
  for (let start = 0; start < ranges.length && rows.length < limit; start = end) {
    end = start + 1
    const range = ranges[start] as IndexRange // `start` is an index of the list
    if (after && isBefore(range, after, order)) continue
    const hasCursor = after && (range.severity === undefined || range.severity === after.severity)
    const position = hasCursor ? after : undefined
    if (skip > 0 && !position) {
      const count = await range.count(skip + 1)
      if (count <= skip) {
        skip -= count
        continue
      }
    }
    const wanted = limit - rows.length
    if (skip === 0 && limit <= maxPageRows) end = endOf(ranges, start, wanted, position !== undefined)
    const found = await read(start, end, { after: position, offset: skip, limit: wanted })
    rows.push(...found)
    // No count says how many rows of a range follow a cursor, so they are read to count them.
    const isBeyond = found.length === 0 && skip > 0
    skip -= isBeyond ? (await read(start, end, { after: position, offset: 0, limit: skip })).length : skip
  }
  return rows
}

/** Returns the end of the ranges that may have to be read for a number of rows. */
function endOf(ranges: readonly IndexRange[], start: number, wanted: number, isAfterCursor: boolean): number {
  let known = 0
  let end = start
  while (end < ranges.length && known < wanted) {
    // How many rows of the first range follow a cursor is unknown.
    if (end > start || !isAfterCursor) known += ranges[end]?.total ?? 0
    end++
  }
  return end
}

function isBefore({ severity }: IndexRange, cursor: Cursor, order: ListOrder): boolean {
  if (severity === undefined) return false
  return order.severity === 'asc' ? severity < cursor.severity : severity > cursor.severity
}
