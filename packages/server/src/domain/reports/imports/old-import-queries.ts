import sql, { type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import { lastIdUntil } from '../../../db/expired-rows.ts'

/**
 * Returns the query of ended imports until a time. Leaves out those that decide what is present or absent: an import that a
 * finding names as its last observation, the newest complete scan of its kind, and held absences.
 */
export async function oldImports(db: Db, before: string): Promise<Sql> {
  return sql`
    select m.id, m.created_at as at from imports m
    where m.id <= ${await lastIdUntil(db, 'imports', before)} and m.created_at <= ${before}
      and m.state in ('done', 'failed') and m.object_key is null and m.absences <> 'held'
      and not exists (select 1 from occurrences o where o.last_import_id = m.id)
      and not exists (
        select 1 from scans s where s.import_id = m.id and not exists (
          select 1 from scans n
          where n.scanner_id = s.scanner_id and n.report_type = s.report_type and n.ref = s.ref
            and coalesce(n.category_id, 0) = coalesce(s.category_id, 0) and n.is_complete = true
            and n.import_id > s.import_id))
    order by m.id`
}

/** Deletes the first imports of the query. Returns their number. */
export async function deleteImports(db: Db, expired: Sql, limit: number): Promise<number> {
  return db.run(sql`delete from imports where id in (select e.id from (${expired} limit ${limit}) as e)`)
}
