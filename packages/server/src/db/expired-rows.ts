import sql, { raw, type Sql } from 'sql-template-tag'
import type { Db } from './db.ts'

/** Rows that a periodic task would remove. */
export interface ExpiredRows {
  /** At most `maxCounted`. */
  count: number
  /** False when there are more rows than `count`. */
  isComplete: boolean
  oldestAt: string | null
}

/** Maximum number of rows that a preview counts. */
export const maxCounted = 100_000

/** Counts the rows of the query with the columns `id` and `at` from which the removal takes its batches. */
export async function countExpired(db: Db, expired: Sql): Promise<ExpiredRows> {
  const row = await db.one<{ total: number; oldest: string | null }>(sql`
    select count(*) as total, min(e.at) as oldest from (${expired} limit ${maxCounted + 1}) as e`)
  return expiredRows(row?.total ?? 0, row?.oldest ?? null)
}

/** Returns a count, limited to `maxCounted`. */
export const expiredRows = (total: number, oldest: string | Date | null): ExpiredRows => ({
  count: Math.min(total, maxCounted),
  isComplete: total <= maxCounted,
  oldestAt: oldest === null ? null : new Date(oldest).toISOString(),
})

/**
 * Returns an id up to which rows were created until a time. Ids ascend with time, so a binary search replaces an index
 * by time, which every insertion would have to update.
 */
export async function lastIdUntil(db: Db, table: 'imports' | 'vulnerability_history', time: string): Promise<number> {
  const newest = await db.one<{ id: number | null }>(sql`select max(id) as id from ${raw(table)}`)
  let [low, high] = [0, newest?.id ?? 0]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    const row = await db.one<{ id: number; createdAt: string }>(sql`
      select id, created_at from ${raw(table)} where id <= ${middle} order by id desc limit 1`)
    if (!row || row.createdAt <= time) low = middle
    else high = row.id - 1
  }
  return low
}
