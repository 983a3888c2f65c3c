import sql from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import { type Severity, type State, severityOf } from '../../findings/scales.ts'
import type { Facets } from './counts/count-change-queries.ts'

/** A facet count of one project, with the names of its scanner. */
export interface FacetCount extends Facets {
  projectId: number
  /** External id of the scanner, which clients use. */
  scanner: string | null
  scannerName: string | null
  total: number
  seconds: number
}

/** Returns the facet counts of these projects that are not zero. */
export async function listFacetCounts(db: Db, projectIds: readonly number[]): Promise<FacetCount[]> {
  const rows = await db.all<FacetCountRow>(sql`
    select c.project_id, c.is_on_default_branch, c.severity, c.state, c.report_type, c.scanner_id,
      c.is_resolved_on_default_branch, c.dismissal_reason, c.total, c.seconds, s.external_id, s.name
    from vulnerability_counts c left join scanners s on s.id = c.scanner_id
    where c.project_id in ${db.dialect.integers(projectIds)} and c.total > 0
    order by c.project_id, c.severity desc, c.state, c.report_type, c.scanner_id, c.is_resolved_on_default_branch,
      c.dismissal_reason, c.is_on_default_branch`)
  const intern = createInterner()
  return rows.map((row) => ({
    projectId: row.projectId,
    isOnDefaultBranch: row.isOnDefaultBranch,
    severity: severityOf(row.severity),
    state: intern(row.state),
    reportType: intern(row.reportType),
    scannerId: row.scannerId,
    scanner: row.externalId === null ? null : intern(row.externalId),
    scannerName: row.name === null ? null : intern(row.name),
    isResolvedOnDefaultBranch: row.isResolvedOnDefaultBranch,
    dismissalReason: row.dismissalReason ? intern(row.dismissalReason) : null,
    total: row.total,
    seconds: row.seconds,
  }))
}

/** Returns a function that interns strings. Counts are cached, and most of their strings are equal. */
function createInterner(): <T extends string>(text: T) => T {
  const texts = new Map<string, string>()
  return <T extends string>(text: T) => {
    const known = texts.get(text)
    if (known === undefined) texts.set(text, text)
    return (known ?? text) as T // an equal string
  }
}

interface FacetCountRow {
  projectId: number
  isOnDefaultBranch: boolean
  severity: number
  state: State
  reportType: string
  scannerId: number
  externalId: string | null
  name: string | null
  isResolvedOnDefaultBranch: boolean
  dismissalReason: string
  total: number
  seconds: number
}

/** Change of the number of active vulnerabilities of a severity on one day. */
export interface DailyChange {
  day: string
  severity: Severity
  growth: number
}

/** Returns the daily changes since a day, summed over the projects. */
export async function listDailyChanges(db: Db, projectIds: readonly number[], from: string): Promise<DailyChange[]> {
  const rows = await db.all<{ day: string; severity: number; growth: number }>(sql`
    select day, severity, cast(sum(growth) as bigint) as growth from vulnerability_days
    where project_id in ${db.dialect.integers(projectIds)} and day >= ${from}
    group by day, severity order by day, severity`)
  return rows.map((row) => ({ ...row, severity: severityOf(row.severity) }))
}
