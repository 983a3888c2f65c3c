import sql from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import { severityOf } from '../../findings/scales.ts'
import type { FilteredFacets } from './filter.ts'

/** Returns the facets of vulnerabilities, by id. */
export async function listFacets(db: Db, ids: readonly number[]): Promise<(FilteredFacets & { id: number })[]> {
  const rows = await db.all<Omit<FilteredFacets, 'severity'> & { id: number; severity: number }>(sql`
    select v.id, v.is_on_default_branch, v.severity, v.state, v.report_type, v.is_resolved_on_default_branch,
      v.dismissal_reason, s.external_id as scanner
    from vulnerabilities v left join scanners s on s.id = v.scanner_id
    where v.id in ${db.dialect.integers(ids)} order by v.id`)
  return rows.map((row) => ({ ...row, severity: severityOf(row.severity) }))
}
