import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'
import { searchIndexes } from './initial/search.ts'

/** Dependencies that reports list: one inventory for each source on a ref, and the packages that all of them share. */
export const dependencies: Migration = {
  name: '0085_dependencies',
  up(engine) {
    const { id, integer, time } = columnTypes(engine)
    return `
-- Versions of packages. They belong to no project, and stay when no dependency refers to them.
create table packages (
  id ${id},
  identity text not null unique, -- a digest of the other columns
  name text not null,
  version text not null,
  type text not null, -- of the package URL, or empty
  package_url text,
  package_key text -- package_url without version
);
create index packages_by_key on packages (package_key) where package_key is not null;
${searchIndexes(engine, 'packages', ['name'])}

create table inventories (
  id ${id},
  project_id ${integer} not null references projects(id) on delete cascade,
  ref text not null,
  source text not null, -- scanner, category and subject: the next report of the same source replaces this one
  import_id ${integer} references imports(id) on delete set null,
  state text not null check (state in ('reading', 'current', 'superseded')),
  created_at ${time} not null
);
create unique index inventories_current on inventories (project_id, ref, source) where state = 'current';
create index inventories_project on inventories (project_id);
create index inventories_import on inventories (import_id);
create index inventories_obsolete on inventories (id) where state <> 'current';

create table dependencies (
  id ${id},
  inventory_id ${integer} not null references inventories(id) on delete cascade,
  package_id ${integer} not null references packages(id),
  name text not null, -- of the package in lower case, for the order of lists
  package_manager text not null,
  file text not null,
  licenses text not null -- JSON list of names, compared as text
);
create index dependencies_by_name on dependencies (inventory_id, name, id);
create index dependencies_package on dependencies (package_id, inventory_id);
`
  },
}
