import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Saved views of lists of vulnerabilities. Without a project and a group, a view is one of the whole instance. */
export const savedViews: Migration = {
  name: '0078_saved_views',
  up(engine) {
    const { id, integer, boolean, time, json } = columnTypes(engine)
    return `
create table saved_views (
  id ${id},
  project_id ${integer} references projects(id) on delete cascade,
  namespace_id ${integer} references namespaces(id) on delete cascade,
  user_id ${integer} not null references users(id) on delete cascade,
  name text not null,
  filter ${json} not null, -- parameters of the list, as the API names them
  sort text not null,
  is_shared ${boolean} not null,
  created_at ${time} not null,
  updated_at ${time} not null
);
create index saved_views_project on saved_views (project_id, id);
create index saved_views_namespace on saved_views (namespace_id, project_id, id);
create index saved_views_user on saved_views (user_id, id);
`
  },
}
