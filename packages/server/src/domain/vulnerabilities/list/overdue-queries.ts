import sql from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import { type Severity, severityOf } from '../../findings/scales.ts'

/** Counts the overdue vulnerabilities on the default branches of these projects. An index has all of the columns. */
export async function countOverdue(
  db: Db,
  projectIds: readonly number[],
  today: string,
): Promise<{ severity: Severity; total: number }[]> {
  const rows = await db.all<{ severity: number; total: number }>(sql`
    select severity, count(*) as total from vulnerabilities
    where project_id in ${db.dialect.integers(projectIds)} and due_on is not null and due_on < ${today}
      and is_on_default_branch = true and state in ('detected', 'confirmed')
    group by severity order by severity`)
  return rows.map((row) => ({ ...row, severity: severityOf(row.severity) }))
}
