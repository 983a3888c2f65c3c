import sql, { empty, join } from 'sql-template-tag'
import type { Db } from '../../../../db/db.ts'
import type { UnindexedFilter } from '../../../findings/list/unindexed-filter-sql.ts'
import type { VulnerabilityFilter } from '../filter.ts'
import { byIndexedColumns, ofVulnerability } from './indexed-columns-sql.ts'

const hasDueDate = sql`v.due_on is not null`
const isOpen = sql`v.state in ('detected', 'confirmed')`

/** Selects vulnerabilities by their due date. `today` is a date in UTC; `openOn` is the ref whose states count. */
export function dueDateFilters(
  db: Db,
  { isOverdue, dueBefore, dueAfter }: VulnerabilityFilter,
  { projectIds, today, openOn }: { projectIds: readonly number[]; today: string; openOn?: string | undefined },
): UnindexedFilter[] {
  const isOpenOn =
    openOn === undefined
      ? empty
      : sql`and exists (
          select 1 from occurrences o
          where o.finding_id = f.id and o.ref = ${openOn} and o.state in ('detected', 'confirmed'))`
  const range = [
    ...(isOverdue === true ? [sql`v.due_on < ${today}`, isOpen] : []),
    ...(dueBefore === undefined ? [] : [sql`v.due_on < ${dueBefore}`]),
    ...(dueAfter === undefined ? [] : [sql`v.due_on > ${dueAfter}`]),
  ]
  return [
    ...(range.length > 0
      ? [byIndexedColumns(db, { indexed: hasDueDate, condition: join(range, ' and '), projectIds })]
      : []),
    ...(isOverdue === false
      ? [
          {
            condition: sql`not (${ofVulnerability(sql`${hasDueDate} and v.due_on < ${today} and ${isOpen}`)} ${isOpenOn})`,
          },
        ]
      : []),
  ]
}
