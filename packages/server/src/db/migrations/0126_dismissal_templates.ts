import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Prepared dismissals of projects, groups and the instance, which has neither id. */
export const dismissalTemplates: Migration = {
  name: '0126_dismissal_templates',
  up(engine) {
    const { id, integer, boolean, time } = columnTypes(engine)
    return `
create table dismissal_templates (
  id ${id},
  project_id ${integer} references projects(id) on delete cascade,
  namespace_id ${integer} references namespaces(id) on delete cascade,
  name text not null,
  reason text not null,
  comment text not null,
  until_days ${integer},
  is_until_fixed ${boolean} not null,
  created_at ${time} not null,
  updated_at ${time} not null,
  check (project_id is null or namespace_id is null)
);
create unique index dismissal_templates_project on dismissal_templates (project_id, name) where project_id is not null;
create unique index dismissal_templates_namespace on dismissal_templates (namespace_id, name)
  where namespace_id is not null;
create unique index dismissal_templates_instance on dismissal_templates (name)
  where project_id is null and namespace_id is null;
`
  },
}
