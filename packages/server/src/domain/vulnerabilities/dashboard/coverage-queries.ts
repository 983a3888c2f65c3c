import sql from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import { type ReportType, reportTypes } from '../../findings/scales.ts'

/** Last report of a scanner and type for the default branch of its project. */
export interface ScannerReport {
  projectId: number
  name: string
  reportType: ReportType
  lastReportAt: string
}

const types = reportTypes.map((reportType) => ({ reportType }))

/** Returns the last report of each scanner and type. Each combination is one search in an index. */
export function listScannerReports(db: Db, projectIds: readonly number[]): Promise<ScannerReport[]> {
  return db.all(sql`
    select s.project_id, s.name, s.report_type, s.last_report_at from (
      select n.project_id, n.name, t.report_type, (
        select max(c.observed_at) from scans c
        where c.scanner_id = n.id and c.report_type = t.report_type and c.ref = p.default_branch) as last_report_at
      from scanners n join projects p on p.id = n.project_id
      cross join ${db.dialect.records(types, { reportType: 'text' })} as t
      where n.project_id in ${db.dialect.integers(projectIds)}
    ) as s where s.last_report_at is not null
    order by s.project_id, s.report_type, s.name, s.last_report_at desc`)
}
