import sql, { join, type Sql } from 'sql-template-tag'
import type { UnindexedFilter } from '../../findings/list/unindexed-filter-sql.ts'
import type { VulnerabilityFilter } from './filter.ts'

const isOpen = sql`v.state in ('detected', 'confirmed')`

/** Selects vulnerabilities by their due date. `today` is a date in UTC. */
export function dueDateFilters(
  { isOverdue, dueBefore, dueAfter }: VulnerabilityFilter,
  { projectIds, today }: { projectIds: readonly number[]; today: string },
): UnindexedFilter[] {
  const range = [
    ...(isOverdue === true ? [sql`v.due_on < ${today}`, isOpen] : []),
    ...(dueBefore === undefined ? [] : [sql`v.due_on < ${dueBefore}`]),
    ...(dueAfter === undefined ? [] : [sql`v.due_on > ${dueAfter}`]),
  ]
  return [
    ...(range.length > 0 ? [withDueDate(join(range, ' and '), projectIds)] : []),
    ...(isOverdue === false
      ? [{ condition: sql`not ${exists(sql`v.due_on is not null and v.due_on < ${today} and ${isOpen}`)}` }]
      : []),
  ]
}

const exists = (condition: Sql): Sql => sql`exists (
  select 1 from vulnerabilities v where v.id = f.vulnerability_id and ${condition})`

/** The index has vulnerabilities with a due date. */
function withDueDate(condition: Sql, projectIds: readonly number[]): UnindexedFilter {
  return {
    indexes: [
      {
        keys: projectIds,
        findingsOf: [
          (isKey: Sql) => sql`
            select f.id from vulnerabilities v cross join findings f
            where v.project_id ${isKey} and v.due_on is not null and ${condition} and f.vulnerability_id = v.id`,
        ],
      },
    ],
    condition: exists(sql`v.due_on is not null and ${condition}`),
  }
}
