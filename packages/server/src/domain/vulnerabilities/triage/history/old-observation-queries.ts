import sql, { type Sql } from 'sql-template-tag'
import type { Db } from '../../../../db/db.ts'
import { lastIdUntil } from '../../../../db/expired-rows.ts'

/** Returns the query of the history entries until a time that imports observed. Decisions and comments are not among them. */
export async function oldObservations(db: Db, before: string): Promise<Sql> {
  return sql`
    select h.id, h.created_at as at from vulnerability_history h
    where h.id <= ${await lastIdUntil(db, 'vulnerability_history', before)} and h.created_at <= ${before}
      and h.kind in ('found', 'gone', 'back', 'matched')
    order by h.id`
}

/** Deletes the first entries of the query. Returns their number. */
export async function deleteObservations(db: Db, expired: Sql, limit: number): Promise<number> {
  return db.run(sql`
    delete from vulnerability_history where id in (select e.id from (${expired} limit ${limit}) as e)`)
}
