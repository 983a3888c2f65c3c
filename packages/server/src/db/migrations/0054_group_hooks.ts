import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Webhooks of groups, in the table of the webhooks of projects. Exactly one of the two ids is set. */
export const groupHooks: Migration = {
  name: '0054_group_hooks',
  up(engine) {
    const { integer } = columnTypes(engine)
    // SQLite cannot drop `not null` from a column.
    const optionalProject =
      engine === 'postgres'
        ? 'alter table hooks alter column project_id drop not null;'
        : `
alter table hooks add column any_project_id ${integer} references projects(id) on delete cascade;
update hooks set any_project_id = project_id;
drop index hooks_project;
alter table hooks drop column project_id;
alter table hooks rename column any_project_id to project_id;
create index hooks_project on hooks (project_id, id);`
    return `${optionalProject}
alter table hooks add column namespace_id ${integer} references namespaces(id) on delete cascade;
create index hooks_namespace on hooks (namespace_id, id);
`
  },
}
