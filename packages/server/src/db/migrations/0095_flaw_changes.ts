import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Decisions of users that vulnerabilities are, or are not, the same flaw. */
export const flawChanges: Migration = {
  name: '0095_flaw_changes',
  up(engine) {
    const { id, integer, time } = columnTypes(engine)
    return `
create table flaw_changes (
  id ${id},
  kind text not null check (kind in ('split', 'join')),
  -- The project or the group in which it applies.
  project_id ${integer} references projects(id) on delete cascade,
  namespace_id ${integer} references namespaces(id) on delete cascade,
  user_id ${integer} references users(id) on delete set null,
  from_key ${integer} not null,
  to_key ${integer} not null,
  total ${integer} not null, -- vulnerabilities that it concerned
  created_at ${time} not null,
  undone_at ${time},
  undone_by_id ${integer} references users(id) on delete set null
);
create index flaw_changes_project on flaw_changes (project_id, id);
create index flaw_changes_namespace on flaw_changes (namespace_id, id);
create index flaw_changes_user on flaw_changes (user_id);
create index flaw_changes_undone_by on flaw_changes (undone_by_id);
create index flaw_changes_from on flaw_changes (from_key) where undone_at is null;
create index flaw_changes_to on flaw_changes (to_key) where undone_at is null;

-- The vulnerabilities that a change gave its key, whatever their findings say later.
create table flaw_change_members (
  vulnerability_id ${integer} not null references vulnerabilities(id) on delete cascade,
  change_id ${integer} not null references flaw_changes(id) on delete cascade,
  primary key (vulnerability_id, change_id)
);
create index flaw_change_members_change on flaw_change_members (change_id, vulnerability_id);
`
  },
}
