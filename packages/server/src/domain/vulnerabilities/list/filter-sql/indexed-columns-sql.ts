import sql, { type Sql } from 'sql-template-tag'
import type { Db } from '../../../../db/db.ts'
import type { UnindexedFilter } from '../../../findings/list/unindexed-filter-sql.ts'

/** Condition on the finding `f`: its vulnerability `v` meets the given one. */
export const ofVulnerability = (condition: Sql): Sql => sql`exists (
  select 1 from vulnerabilities v where v.id = f.vulnerability_id and ${condition})`

/** Selects the findings of vulnerabilities. */
export const ofVulnerabilities = (isKey: Sql): Sql => sql`select f.id from findings f where f.vulnerability_id ${isKey}`

/** Filters by columns of the vulnerability `v`. An index has the vulnerabilities of a project that meet `indexed`. */
export function byIndexedColumns(
  { dialect }: Db,
  { indexed, condition, projectIds }: { indexed: Sql; condition: Sql; projectIds: readonly number[] },
): UnindexedFilter {
  const keys = sql`
    select v.id from vulnerabilities v
    where v.project_id in ${dialect.integers(projectIds)} and ${indexed} and ${condition}`
  return {
    indexes: [{ keys, findingsOf: [ofVulnerabilities] }],
    condition: ofVulnerability(sql`${indexed} and ${condition}`),
  }
}
