import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/**
 * Stores the key of the order by due dates as a column. SQLite sorts all rows that have the same value of an
 * expression, even where an index has them in order.
 */
export const dueDateOrder: Migration = {
  name: '0101_due_date_order',
  up(engine) {
    const { bytewise } = columnTypes(engine)
    return `
drop index vulnerabilities_by_due_date;
-- Rows without a due date follow all others.
alter table vulnerabilities add column due_key ${bytewise} generated always as (coalesce(due_on, '9999-12-31'))
  ${engine === 'sqlite' ? 'virtual' : 'stored'};
create index vulnerabilities_by_due_date on vulnerabilities (project_id, is_on_default_branch, severity, state,
  report_type, scanner_id, is_resolved_on_default_branch, coalesce(dismissal_reason, ''), due_key, id);
`
  },
}
