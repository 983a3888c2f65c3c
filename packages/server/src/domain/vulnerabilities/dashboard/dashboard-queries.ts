import sql from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'

/** Scanner of a project that stopped to report for the default branch. */
export interface SilentScanner {
  id: number
  name: string
  projectId: number
  lastReportAt: string
}

/** Counts the open vulnerabilities of an assignee on default branches. */
export async function countAssigned(db: Db, projectIds: readonly number[], userId: number): Promise<number> {
  // `+` makes the index by assignee decide, and not one search for each project.
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from vulnerabilities v
    where coalesce(v.assignee_id, 0) = ${userId} and v.is_on_default_branch = true
      and v.state in ('detected', 'confirmed') and +v.project_id in ${db.dialect.integers(projectIds)}`)
  return row?.total ?? 0
}

/** Counts the dismissals that await the approval of someone other than the user who requested them. */
export async function countAwaitingApproval(db: Db, projectIds: readonly number[], userId: number): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from dismissal_requests r
    where r.state = 'pending' and coalesce(r.requested_by_id, 0) <> ${userId}
      and +r.project_id in ${db.dialect.integers(projectIds)}`)
  return row?.total ?? 0
}

/** Returns scanners whose last reports for default branches are from this period, the latest ones first. */
export async function listSilentScanners(
  db: Db,
  projectIds: readonly number[],
  { after, before }: { after: string; before: string },
): Promise<SilentScanner[]> {
  return db.all(sql`
    select s.id, s.name, s.project_id, s.last_report_at from (
      select n.id, n.name, n.project_id, (
        select max(c.observed_at) from scans c where c.scanner_id = n.id and c.ref = p.default_branch) as last_report_at
      from scanners n join projects p on p.id = n.project_id
      where n.project_id in ${db.dialect.integers(projectIds)} and p.is_archived = false
    ) as s where s.last_report_at >= ${after} and s.last_report_at < ${before}
    order by s.last_report_at desc, s.id`)
}
