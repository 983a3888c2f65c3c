import { setImmediate } from 'node:timers/promises'
import type { Db } from '../../../db/db.ts'
import type { Cursor, ListOrder } from '../../findings/list/cursor.ts'
import { type InstanceRow, listInstanceRows } from './instance-index-queries.ts'

interface IndexScan {
  order: ListOrder
  /** Severities of the list, in its order. In an order without severities, `undefined` stands for all of them. */
  severities: readonly (number | undefined)[]
  /** Visits only rows with this assignee. Not possible with a sort key. */
  assigneeId?: number | undefined
  isListed: (row: InstanceRow) => boolean
}

interface ScanRequest {
  /** Position in the first severity. */
  after: Cursor | undefined
  limit: number
  /** Number of rows after which the scan stops. */
  maxVisited: number
}

interface ScannedRows {
  rows: Cursor[]
  /** Position at which the scan stopped before it had enough rows: the index of the severity, and the last row. */
  stopped?: { index: number; after: Cursor | undefined }
}

/**
 * Reads the rows of all projects in the order of a list, and returns those that are in the list. Cheaper than merging the
 * index ranges of many projects if a large part of the rows is in the list.
 */
export async function scanInstanceIndex(
  db: Db,
  { order, severities, assigneeId, isListed }: IndexScan,
  { after, limit, maxVisited }: ScanRequest,
): Promise<ScannedRows> {
  const rows: Cursor[] = []
  // A row that a concurrent change has moved behind its batch is found again.
  const ids = new Set<number>()
  let visited = 0
  for (const [index, severity] of severities.entries()) {
    let position = index === 0 ? after : undefined
    for (let isOver = false; !isOver; ) {
      if (visited >= maxVisited) return { rows, stopped: { index, after: position } }
      const size = batchSize({ missing: limit - rows.length, found: rows.length, visited })
      const batch = await listInstanceRows(db, { order, severity, assigneeId, after: position, limit: size })
      for (const row of batch) {
        if (!isListed(row) || ids.has(row.id)) continue
        ids.add(row.id)
        rows.push(cursorOf(row))
      }
      if (rows.length >= limit) return { rows: rows.slice(0, limit) }
      visited += batch.length
      isOver = batch.length < size
      const last = batch.at(-1)
      if (last) position = cursorOf(last)
      await setImmediate()
    }
  }
  return { rows }
}

const [minBatchSize, maxBatchSize] = [20, 2_000]

/** Estimates how many rows contain the missing ones, from the part of the visited rows that are in the list. */
function batchSize({ missing, found, visited }: { missing: number; found: number; visited: number }): number {
  if (visited === 0) return Math.min(Math.max(Math.ceil(1.5 * missing), minBatchSize), maxBatchSize)
  const expected = Math.ceil((1.2 * missing * visited) / Math.max(found, 1))
  // The first rows are a poor estimate for the next ones.
  return Math.min(Math.max(expected, minBatchSize), 2 * visited, maxBatchSize)
}

const cursorOf = ({ severity, sortKey, id }: InstanceRow): Cursor =>
  sortKey === undefined ? { severity, id } : { severity, sortKey, id }
