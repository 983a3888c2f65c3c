import sql, { type Sql } from 'sql-template-tag'
import type { UnindexedFilter } from '../../findings/list/unindexed-filter-sql.ts'

/** Condition on the finding `f`: its vulnerability `v` meets the given one. */
export const ofVulnerability = (condition: Sql): Sql => sql`exists (
  select 1 from vulnerabilities v where v.id = f.vulnerability_id and ${condition})`

/** Filters by columns of the vulnerability `v`. An index has the few vulnerabilities of a project that meet `indexed`. */
export function byIndexedColumns(indexed: Sql, condition: Sql, projectIds: readonly number[]): UnindexedFilter {
  return {
    indexes: [
      {
        keys: projectIds,
        findingsOf: [
          (isKey: Sql) => sql`
            select f.id from vulnerabilities v cross join findings f
            where v.project_id ${isKey} and ${indexed} and ${condition} and f.vulnerability_id = v.id`,
        ],
      },
    ],
    condition: ofVulnerability(sql`${indexed} and ${condition}`),
  }
}
