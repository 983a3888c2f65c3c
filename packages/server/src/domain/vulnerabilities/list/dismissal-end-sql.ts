import sql, { type Sql } from 'sql-template-tag'
import type { UnindexedFilter } from '../../findings/list/unindexed-filter-sql.ts'
import type { VulnerabilityFilter } from './filter.ts'

/** Condition on the vulnerability `v`, as in its index. */
const hasEnd = sql`(v.dismissed_until is not null or v.is_dismissed_until_fixed = true)`

/** Selects vulnerabilities by the end of their dismissal. */
export function dismissalEndFilters(
  { hasDismissalEnd, dismissalEndsBefore }: VulnerabilityFilter,
  projectIds: readonly number[],
): UnindexedFilter[] {
  return [
    ...(hasDismissalEnd === undefined
      ? []
      : hasDismissalEnd
        ? [withEnd(sql`true`, projectIds)]
        : [{ condition: exists(sql`v.state = 'dismissed' and not ${hasEnd}`) }]),
    ...(dismissalEndsBefore === undefined
      ? []
      : [withEnd(sql`v.dismissed_until < ${dismissalEndsBefore}`, projectIds)]),
  ]
}

const exists = (condition: Sql): Sql => sql`exists (
  select 1 from vulnerabilities v where v.id = f.vulnerability_id and ${condition})`

/** The index has vulnerabilities with an end; there are few of them in comparison. */
function withEnd(condition: Sql, projectIds: readonly number[]): UnindexedFilter {
  return {
    indexes: [
      {
        keys: projectIds,
        findingsOf: [
          (isKey: Sql) => sql`
            select f.id from vulnerabilities v cross join findings f
            where v.project_id ${isKey} and ${hasEnd} and ${condition} and f.vulnerability_id = v.id`,
        ],
      },
    ],
    condition: exists(sql`${hasEnd} and ${condition}`),
  }
}
