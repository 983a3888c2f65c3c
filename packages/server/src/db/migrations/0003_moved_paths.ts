import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Former paths of projects and groups, and indexes for the orders of the lists of groups and users. */
export const movedPaths: Migration = {
  name: '0003_moved_paths',
  up(engine) {
    const { integer, time, bytewise } = columnTypes(engine)
    return `
create table moved_paths (
  path_key ${bytewise} primary key, -- former full path in lower case, currently unused
  project_id ${integer} references projects(id) on delete cascade,
  namespace_id ${integer} references namespaces(id) on delete cascade,
  created_at ${time} not null,
  check ((project_id is null) <> (namespace_id is null))
);
create index moved_paths_project on moved_paths (project_id) where project_id is not null;
create index moved_paths_namespace on moved_paths (namespace_id) where namespace_id is not null;

create index namespaces_by_name on namespaces (kind, name, id);
create index namespaces_by_path on namespaces (kind, path, id);
create index namespaces_by_kind on namespaces (kind, id);
create index users_by_name on users (name, id);
create index users_by_creation on users (created_at, id);
create index users_by_update on users (updated_at, id);

create index members_expiry on members (expires_on, id) where expires_on is not null;
`
  },
}
