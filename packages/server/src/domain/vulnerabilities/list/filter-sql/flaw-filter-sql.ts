import sql, { type Sql } from 'sql-template-tag'
import type { Db } from '../../../../db/db.ts'
import type { UnindexedFilter } from '../../../findings/list/unindexed-filter-sql.ts'
import type { VulnerabilityFilter } from '../filter.ts'
import { ofVulnerability } from './indexed-columns-sql.ts'

/** Selects vulnerabilities by their flaws. */
export function flawFilters(
  { dialect }: Db,
  { flaws }: VulnerabilityFilter,
  projectIds: readonly number[],
): UnindexedFilter[] {
  if (!flaws) return []
  return [
    {
      indexes: [
        {
          keys: flaws,
          findingsOf: [
            (isKey: Sql) => sql`
              select f.id from vulnerabilities v cross join findings f
              where v.flaw_key ${isKey} and v.project_id in ${dialect.integers(projectIds)} and f.vulnerability_id = v.id`,
          ],
        },
      ],
      condition: ofVulnerability(sql`v.flaw_key in ${dialect.integers(flaws)}`),
    },
  ]
}
