import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Branches and tags of a project, when they are closed, and the settings of the project that decide it. */
export const refs: Migration = {
  name: '0067_refs',
  up(engine) {
    const { integer, boolean, time, json } = columnTypes(engine)
    return `
create table refs (
  project_id ${integer} not null references projects(id) on delete cascade,
  name text not null,
  last_report_at ${time} not null,
  closed_at ${time}, -- null while the ref is open
  is_deleted ${boolean} not null default false, -- a job is removing its rows
  primary key (project_id, name)
);
create index refs_idle on refs (last_report_at, project_id, name) where closed_at is null;
insert into refs (project_id, name, last_report_at)
  select project_id, ref, max(coalesce(shown_at, created_at)) from imports
  where state = 'done' or shown_at is not null group by project_id, ref;
alter table projects add column ref_retention_days ${integer}; -- null: the setting of the server; 0: never
alter table projects add column protected_refs ${json} not null default '[]'; -- names with wildcards
`
  },
}
