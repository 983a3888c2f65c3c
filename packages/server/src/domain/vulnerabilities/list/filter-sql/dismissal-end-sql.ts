import sql from 'sql-template-tag'
import type { Db } from '../../../../db/db.ts'
import type { UnindexedFilter } from '../../../findings/list/unindexed-filter-sql.ts'
import type { VulnerabilityFilter } from '../filter.ts'
import { byIndexedColumns, ofVulnerability } from './indexed-columns-sql.ts'

/** Condition on the vulnerability `v`, as in its index. */
const hasEnd = sql`(v.dismissed_until is not null or v.is_dismissed_until_fixed = true)`

/** Selects vulnerabilities by the end of their dismissal. */
export function dismissalEndFilters(
  db: Db,
  { hasDismissalEnd, dismissalEndsBefore }: VulnerabilityFilter,
  projectIds: readonly number[],
): UnindexedFilter[] {
  return [
    ...(hasDismissalEnd === undefined
      ? []
      : hasDismissalEnd
        ? [byIndexedColumns(db, { indexed: hasEnd, condition: sql`true`, projectIds })]
        : [{ condition: ofVulnerability(sql`v.state = 'dismissed' and not ${hasEnd}`) }]),
    ...(dismissalEndsBefore === undefined
      ? []
      : [
          byIndexedColumns(db, {
            indexed: hasEnd,
            condition: sql`v.dismissed_until < ${dismissalEndsBefore}`,
            projectIds,
          }),
        ]),
  ]
}
