import sql, { empty, type Sql } from 'sql-template-tag'
import type { Db, IdRange } from '../../../../db/db.ts'
import type { UnindexedFilter } from '../../../findings/list/unindexed-filter-sql.ts'
import type { VulnerabilityFilter } from '../filter.ts'
import { ofVulnerabilities } from './indexed-columns-sql.ts'

/** Returns the filters on the exploitation of vulnerabilities and on fixes. */
export function threatFilters(
  { dialect }: Db,
  { isKev, minEpss, hasFix }: VulnerabilityFilter,
  projectIds: readonly number[],
): UnindexedFilter[] {
  const idsOf = (condition: Sql) =>
    sql`select id from vulnerabilities where project_id in ${dialect.integers(projectIds)} and ${condition}`
  return [
    ...(isKev === undefined ? [] : [vulnerabilityFilter(sql`is_kev = true`, isKev, idsOf)]),
    ...(minEpss === undefined
      ? []
      : [vulnerabilityFilter(sql`epss_millionths >= ${Math.round(minEpss * 1_000_000)}`, true, idsOf)]),
    // Half of all vulnerabilities may have a fix, so their ids are read in ranges.
    ...(hasFix === undefined
      ? []
      : [
          vulnerabilityFilter(sql`fix_available_at is not null`, hasFix, (condition) => ({
            table: sql`vulnerabilities`,
            within: ({ above, upTo }: IdRange) => sql`${idsOf(condition)} and id > ${above} and id <= ${upTo}`,
          })),
        ]),
  ]
}

type Keys = NonNullable<UnindexedFilter['indexes']>[number]['keys']

/** Filters by a condition on vulnerabilities, which an index has. No index has the vulnerabilities that do not meet it. */
function vulnerabilityFilter(condition: Sql, expected: boolean, keysOf: (condition: Sql) => Keys): UnindexedFilter {
  const isMet = sql`${expected ? empty : sql`not`} exists (
    select 1 from vulnerabilities where id = f.vulnerability_id and ${condition})`
  if (!expected) return { condition: isMet }
  return { indexes: [{ keys: keysOf(condition), findingsOf: [ofVulnerabilities] }], condition: isMet }
}
