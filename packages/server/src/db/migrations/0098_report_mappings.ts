import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Named mappings of generic reports, of projects and groups. */
export const reportMappings: Migration = {
  name: '0098_report_mappings',
  up(engine) {
    const { id, integer, time, json } = columnTypes(engine)
    return `
create table report_mappings (
  id ${id},
  project_id ${integer} references projects(id) on delete cascade,
  namespace_id ${integer} references namespaces(id) on delete cascade,
  name text not null,
  mapping ${json} not null, -- as the parameter of a report
  created_at ${time} not null,
  updated_at ${time} not null,
  check ((project_id is null) <> (namespace_id is null))
);
create unique index report_mappings_project on report_mappings (project_id, name) where project_id is not null;
create unique index report_mappings_namespace on report_mappings (namespace_id, name) where namespace_id is not null;
`
  },
}
