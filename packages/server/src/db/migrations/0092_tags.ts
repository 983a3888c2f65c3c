import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Tags of vulnerabilities: their names for reading, and a table of each tag's findings for filters. */
export const tags: Migration = {
  name: '0092_tags',
  up(engine) {
    const { id, integer, json, bytewise } = columnTypes(engine)
    return `
create table vulnerability_tags (
  id ${id},
  project_id ${integer} not null references projects(id) on delete cascade,
  name text not null,
  name_key ${bytewise} not null, -- the name in lower case
  unique (project_id, name_key)
);
-- Findings of tagged vulnerabilities, in the order in which lists read candidates.
create table tagged_findings (
  tag_id ${integer} not null references vulnerability_tags(id) on delete cascade,
  finding_id ${integer} not null references findings(id) on delete cascade,
  primary key (tag_id, finding_id)
);
create index tagged_findings_finding on tagged_findings (finding_id, tag_id);
alter table vulnerabilities add column tags ${json} not null default '[]'; -- names in the order of their keys
`
  },
}
