import { setImmediate } from 'node:timers/promises'
import type { Db } from '../../../db/db.ts'
import type { Cursor, ListOrder } from '../../findings/list/cursor.ts'
import { type InstanceRow, listInOrder } from './instance-order-queries.ts'

interface InstanceScan {
  order: ListOrder
  /** The severities of the list in its order; undefined for all of them, in an order without severities. */
  severities: readonly (number | undefined)[]
  /** Visits only the rows of this user. Not possible with a sort key. */
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
  /** Where the scan stopped before it had enough rows: the index of the severity, and the position in it. */
  stopped?: { index: number; after: Cursor | undefined }
}

/**
 * Reads the rows of all projects in the order of a list, and returns those of the list. Cheaper than merging the index
 * ranges of many projects when the list has a large part of the rows.
 */
export async function scanInstance(
  db: Db,
  { order, severities, assigneeId, isListed }: InstanceScan,
  { after, limit, maxVisited }: ScanRequest,
): Promise<ScannedRows> {
  const rows: Cursor[] = []
  let visited = 0
  for (const [index, severity] of severities.entries()) {
    let position = index === 0 ? after : undefined
    for (let isOver = false; !isOver; ) {
      if (visited >= maxVisited) return { rows, stopped: { index, after: position } }
      const size = batchSize({ missing: limit - rows.length, found: rows.length, visited })
      const batch = await listInOrder(db, { order, severity, assigneeId, after: position, limit: size })
      for (const row of batch) if (isListed(row)) rows.push(cursorOf(row))
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

/** Returns how many rows probably contain the missing ones, given how many of the visited rows were found. */
function batchSize({ missing, found, visited }: { missing: number; found: number; visited: number }): number {
  if (visited === 0) return Math.min(Math.max(Math.ceil(1.5 * missing), minBatchSize), maxBatchSize)
  const expected = Math.ceil((1.2 * missing * visited) / Math.max(found, 1))
  // The first rows say little about the next ones.
  return Math.min(Math.max(expected, minBatchSize), 2 * visited, maxBatchSize)
}

const cursorOf = ({ severity, sortKey, id }: InstanceRow): Cursor =>
  sortKey === undefined ? { severity, id } : { severity, sortKey, id }
