import type { Cursor, ListOrder } from './cursor.ts'

/** Rows of one severity, or of all, that the database reads in the order of their ids from an index. */
export interface IndexRange {
  /** Absent if the list is not ordered by severity. */
  severity?: number | undefined
  /** Counts the rows. May stop at `max`. */
  count(max: number): Promise<number>
  read(request: RangeRequest): Promise<Cursor[]>
}

export interface RangeRequest {
  /** Absent: from the beginning of the range. */
  afterId: number | undefined
  offset: number
  limit: number
}

/** Requests rows from an offset, which counts from the start or from a cursor. */
export interface RowRequest {
  after?: Cursor | undefined
  offset?: number | undefined
  limit: number
}

/** Reads rows from index ranges in the order of the list. Returns fewer rows than requested only at the end. */
export async function readRanges(
  ranges: readonly IndexRange[],
  order: ListOrder,
  { after, offset = 0, limit }: RowRequest,
): Promise<Cursor[]> {
  const rows: Cursor[] = []
  let skip = offset
  for (const range of ranges) {
    if (rows.length >= limit) break
    if (after && isBefore(range, after, order)) continue
    const hasCursor = after && (range.severity === undefined || range.severity === after.severity)
    const afterId = hasCursor ? after.id : undefined
    if (skip > 0 && afterId === undefined) {
      const count = await range.count(skip + 1)
      if (count <= skip) {
        skip -= count
        continue
      }
    }
    const found = await range.read({ afterId, offset: skip, limit: limit - rows.length })
    rows.push(...found)
    // No count says how many rows of a range follow a cursor, so they are read to count them.
    const isBeyond = found.length === 0 && skip > 0
    skip -= isBeyond ? (await range.read({ afterId, offset: 0, limit: skip })).length : skip
  }
  return rows
}

function isBefore({ severity }: IndexRange, cursor: Cursor, order: ListOrder): boolean {
  if (severity === undefined) return false
  return order.severity === 'asc' ? severity < cursor.severity : severity > cursor.severity
}
