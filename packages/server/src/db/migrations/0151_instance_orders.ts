import type { Migration } from '../migrate.ts'

/**
 * Indexes for lists of many projects (`domain/vulnerabilities/list/instance-index-queries.ts`). No other statement contains
 * their predicate, so no other statement uses them. SQLite appends the id to each entry of an index.
 */
export const instanceOrders: Migration = {
  name: '0151_instance_orders',
  up(engine) {
    const id = engine === 'sqlite' ? '' : ', id'
    return `
create index vulnerabilities_in_severity_order on vulnerabilities (severity${id}) where confidence >= 0;
create index vulnerabilities_in_priority_order on vulnerabilities (priority${id}) where confidence >= 0;
create index vulnerabilities_in_due_date_order on vulnerabilities (due_key${id}) where confidence >= 0;
drop index vulnerabilities_assignee;
create index vulnerabilities_assignee on vulnerabilities (assignee_id, severity${id}) where assignee_id is not null;
`
  },
}
