import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Files of a repository that come with reports, such as CODEOWNERS: those of unfinished imports, and the last ones. */
export const projectFiles: Migration = {
  name: '0090_project_files',
  up(engine) {
    const { id, integer, boolean, time, json } = columnTypes(engine)
    return `
alter table projects add column accept_reporters_files ${boolean} not null default false;

-- Files of imports that are not visible yet.
create table import_files (
  import_id ${integer} not null references imports(id) on delete cascade,
  name text not null,
  path text not null,
  content text not null,
  primary key (import_id, name)
);

create table project_files (
  id ${id},
  project_id ${integer} not null references projects(id) on delete cascade,
  name text not null,
  path text not null, -- as the sender named it
  ref text not null,
  sha256 text not null,
  content text not null,
  warnings ${json} not null, -- [{ line, message }]
  import_id ${integer} references imports(id) on delete set null,
  user_id ${integer} references users(id) on delete set null,
  created_at ${time} not null, -- of the first file of this name
  updated_at ${time} not null, -- of the last report that had it
  unique (project_id, name)
);
create index project_files_import on project_files (import_id);
create index project_files_user on project_files (user_id);
`
  },
}
