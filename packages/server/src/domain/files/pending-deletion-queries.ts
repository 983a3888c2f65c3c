import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'

export async function insertPendingDeletions(db: Db, keys: readonly string[], now: string): Promise<void> {
  const rows = keys.map((key) => ({ key }))
  await db.run(sql`
    insert into pending_deletions (object_key, marked_at)
    select r.key, ${now} from ${db.dialect.records(rows, { key: 'text' })} as r where true
    on conflict (object_key) do nothing`)
}

export interface PendingDeletion {
  id: number
  key: string
  markedAt: string
}

/** Returns pending deletions that were marked by `before`, oldest first, after the given one. */
export async function oldestPendingDeletions(
  db: Db,
  { after, before, limit }: { after: PendingDeletion | undefined; before: string; limit: number },
): Promise<PendingDeletion[]> {
  return db.all(sql`
    select id, object_key as key, marked_at from pending_deletions
    where marked_at <= ${before} and (marked_at, id) > (${after?.markedAt ?? beginning}, ${after?.id ?? 0})
    order by marked_at, id limit ${limit}`)
}

const beginning = '1970-01-01T00:00:00.000Z'

export async function forgetDoomed(db: Db, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await db.run(sql`delete from pending_deletions where id in ${db.dialect.integers(ids)}`)
}
