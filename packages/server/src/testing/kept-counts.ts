import sql from 'sql-template-tag'
import type { Db } from '../db/db.ts'
import { facetsOf } from '../domain/vulnerabilities/promoted-queries.ts'
import { type State, severityOf } from '../domain/vulnerabilities/scales.ts'

/** Everything that is kept and is not what the rows add up to. */
export async function disagreements(db: Db): Promise<unknown[]> {
  const { seconds } = db.dialect
  const took = sql`case when state = 'resolved' then ${seconds(sql`resolved_at`)} - ${seconds(sql`created_at`)} else 0 end`
  const cell = sql`project_id, is_on_default_branch, severity, state, report_type, scanner_id,
    is_resolved_on_default_branch`
  const cells = await db.all(sql`
    select ${cell}, reason, sum(total) as total, sum(seconds) as seconds from (
      select ${cell}, dismissal_reason as reason, total, seconds from vulnerability_counts
      union all
      select ${cell}, coalesce(dismissal_reason, '') as reason, -1, -(${took}) from vulnerabilities
    ) as compared group by ${cell}, reason having sum(total) <> 0 or sum(seconds) <> 0`)
  const days = await db.all(sql`
    select project_id, severity, sum(growth) as growth from (
      select project_id, severity, growth from vulnerability_days
      union all
      select project_id, severity, -1 from vulnerabilities
      where is_on_default_branch = true and state in ('detected', 'confirmed')
    ) as compared group by project_id, severity having sum(growth) <> 0`)
  const strays = await db.all(sql`
    select v.id from vulnerabilities v left join findings f on f.vulnerability_id = v.id
    where f.id is null or v.scanner_id = 0 or f.report_type <> v.report_type`)
  const promoted = await db.all<PromotedRow>(sql`
    select p.vulnerability_id as kept_vulnerability_id, p.facets, p.scanner_id as kept_scanner_id, v.id, v.severity, v.state,
      v.report_type, v.scanner_id, v.is_on_default_branch, v.is_resolved_on_default_branch, v.dismissal_reason
    from vulnerabilities v join findings f on f.vulnerability_id = v.id
      left join promoted_findings p on p.finding_id = f.id`)
  const others = await db.all(sql`
    select finding_id from promoted_findings p
    where not exists (select 1 from findings f where f.id = p.finding_id and f.vulnerability_id = p.vulnerability_id)`)
  return [...cells, ...days, ...strays, ...promoted.filter((row) => !isKept(row)), ...others]
}

interface PromotedRow {
  kept_vulnerability_id: number | null
  kept_scanner_id: number | null
  facets: number | null
  id: number
  severity: number
  state: State
  report_type: string
  scanner_id: number
  is_on_default_branch: boolean
  is_resolved_on_default_branch: boolean
  dismissal_reason: string | null
}

function isKept(row: PromotedRow): boolean {
  const facets = facetsOf({
    severity: severityOf(row.severity),
    state: row.state,
    reportType: row.report_type,
    scannerId: row.scanner_id,
    isOnDefaultBranch: row.is_on_default_branch,
    isResolvedOnDefaultBranch: row.is_resolved_on_default_branch,
    dismissalReason: row.dismissal_reason,
  })
  return row.kept_vulnerability_id === row.id && row.kept_scanner_id === row.scanner_id && row.facets === facets
}
