import sql, { empty, type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import type { PendingChanges } from './ref-comparison.ts'

const pendingColumns = { scannerId: 'integer', reportType: 'text', categoryId: 'integer' } as const

/**
 * Whether a complete scan of the ref covers the finding `f` in the target's occurrence `o`: one of the whole ref, or
 * of a category that contains the finding. `+` removes SQLite's affinity of the column, see `newestScan`.
 */
export function isCovered({ dialect }: Db, ref: string, pendingScans: PendingChanges['scans']): Sql {
  const pending =
    pendingScans.length > 0
      ? sql`or exists (
          select 1 from ${dialect.records(pendingScans, pendingColumns)} as r
          where r.scanner_id = f.scanner_id and r.report_type = f.report_type and r.category_id = c.id)`
      : empty
  return sql`exists (
    select 1 from (
      select 0 as id union all select +category_id from occurrence_categories where occurrence_id = o.id
    ) as c
    where exists (
      select 1 from scans s
      where s.scanner_id = f.scanner_id and s.report_type = f.report_type and s.ref = ${ref}
        and coalesce(s.category_id, 0) = c.id and s.is_complete = true) ${pending})`
}
