import sql from 'sql-template-tag'
import type { Db } from '../db/db.ts'

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
  return [...cells, ...days, ...strays]
}
