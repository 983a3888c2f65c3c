import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/**
 * Bulk changes of vulnerabilities of many projects. Each project has a row of its own in `vulnerability_bulk_changes`,
 * which its members see and can undo.
 */
export const scopeBulkChanges: Migration = {
  name: '0083_scope_bulk_changes',
  up(engine) {
    const { id, integer, boolean, time, json } = columnTypes(engine)
    return `
create table scope_bulk_changes (
  id ${id},
  namespace_id ${integer} references namespaces(id) on delete cascade, -- null for a change of the instance
  user_id ${integer} references users(id) on delete set null,
  as_admin ${boolean} not null,
  change ${json} not null, -- the action with its parameters
  state text not null, -- running, done, failed, undoing, undone
  total ${integer} not null,
  error text,
  created_at ${time} not null,
  undone_at ${time},
  undone_by_id ${integer} references users(id) on delete set null
);
create index scope_bulk_changes_user on scope_bulk_changes (user_id, id desc);
create index scope_bulk_changes_namespace on scope_bulk_changes (namespace_id);
create index scope_bulk_changes_undone_by on scope_bulk_changes (undone_by_id);

create table scope_bulk_change_batches (
  scope_change_id ${integer} not null references scope_bulk_changes(id) on delete cascade,
  position ${integer} not null,
  project_id ${integer} not null references projects(id) on delete cascade,
  vulnerability_ids ${json} not null,
  primary key (scope_change_id, position)
);
create index scope_bulk_change_batches_project on scope_bulk_change_batches (project_id);

-- Selected vulnerabilities of projects in which the user may not triage.
create table scope_bulk_change_skips (
  scope_change_id ${integer} not null references scope_bulk_changes(id) on delete cascade,
  project_id ${integer} not null references projects(id) on delete cascade,
  total ${integer} not null,
  primary key (scope_change_id, project_id)
);
create index scope_bulk_change_skips_project on scope_bulk_change_skips (project_id);

alter table vulnerability_bulk_changes
  add column scope_change_id ${integer} references scope_bulk_changes(id) on delete set null;
-- Position of an undo in several transactions: id of the last restored history entry.
alter table vulnerability_bulk_changes add column undo_position ${integer};
create index vulnerability_bulk_changes_scope on vulnerability_bulk_changes (scope_change_id, project_id)
  where scope_change_id is not null;
`
  },
}
