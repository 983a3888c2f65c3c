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

/** Requests rows after a cursor, or from an offset. */
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
    const count = skip > 0 ? await range.count(skip + 1) : undefined
    if (count !== undefined && count <= skip) {
      skip -= count
      continue
    }
    const hasCursor = after && (range.severity === undefined || range.severity === after.severity)
    const afterId = hasCursor ? after.id : undefined
    rows.push(...(await range.read({ afterId, offset: skip, limit: limit - rows.length })))
    skip = 0
  }
  return rows
}

function isBefore({ severity }: IndexRange, cursor: Cursor, order: ListOrder): boolean {
  if (severity === undefined) return false
  return order.severity === 'asc' ? severity < cursor.severity : severity > cursor.severity
}
