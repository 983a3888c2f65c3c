import sql from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import { hasFix } from '../../findings/fix-sql.ts'

/** Fields of a finding that rules match. */
export interface MatchedRow {
  findingId: number
  vulnerabilityId: number | null
  location: object
  packageUrl: string | null
  packageKey: string | null
  packageName: string | null
  scanner: string
  severity: number
  reportType: string
  hasFix: boolean
}

/** Returns findings, given by their ids or those of their vulnerabilities. */
export async function listMatchedRows(
  db: Db,
  by: 'id' | 'vulnerability_id',
  ids: readonly number[],
): Promise<MatchedRow[]> {
  const isListed =
    by === 'id' ? sql`f.id in ${db.dialect.integers(ids)}` : sql`f.vulnerability_id in ${db.dialect.integers(ids)}`
  const rows = await db.all<Omit<MatchedRow, 'hasFix'> & { hasFix: boolean | number }>(sql`
    select f.id as finding_id, f.vulnerability_id, f.location, f.package_url, f.package_key, f.package_name,
      s.external_id as scanner, f.severity, f.report_type, ${hasFix('f')} as has_fix
    from findings f join scanners s on s.id = f.scanner_id where ${isListed} order by f.id`)
  return rows.map((row) => ({ ...row, hasFix: Boolean(row.hasFix) }))
}

/** Returns the refs on which findings were reported, whether or not they are still present there. */
export async function listReportedRefs(
  db: Db,
  findingIds: readonly number[],
): Promise<{ findingId: number; ref: string }[]> {
  return db.all(sql`
    select finding_id, ref from occurrences
    where finding_id in ${db.dialect.integers(findingIds)} order by finding_id, ref`)
}

/** A change by a user, which rules do not override. */
export interface DecisionRow {
  vulnerabilityId: number
  kind: 'state' | 'severity' | 'due_date' | 'assignee' | 'tags'
  details: object | null
}

/** Returns what users have changed, but for bulk changes that were undone. */
export async function listDecisions(db: Db, vulnerabilityIds: readonly number[]): Promise<DecisionRow[]> {
  return db.all(sql`
    select h.vulnerability_id, h.kind, h.details
    from vulnerability_history h left join vulnerability_bulk_changes b on b.id = h.bulk_id
    where h.vulnerability_id in ${db.dialect.integers(vulnerabilityIds)} and h.user_id is not null
      and h.kind in ('state', 'severity', 'due_date', 'assignee', 'tags') and b.undone_at is null
    order by h.vulnerability_id, h.id`)
}
