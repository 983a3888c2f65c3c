import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Suppressions of findings that the last report of the default branch states, in the source or a scanner's configuration. */
export const sourceSuppressions: Migration = {
  name: '0091_source_suppressions',
  up(engine) {
    const { integer, boolean, bytewise } = columnTypes(engine)
    return `
create table source_suppressions (
  finding_id ${integer} primary key references findings(id) on delete cascade,
  project_id ${integer} not null references projects(id) on delete cascade,
  scanner_id ${integer} not null references scanners(id) on delete cascade,
  source text not null, -- where it is stated, such as: in the source
  justification text,
  reason text,
  until ${bytewise}, -- YYYY-MM-DD in UTC
  is_applied ${boolean} not null -- whether it has dismissed the vulnerability
);
create index source_suppressions_project on source_suppressions (project_id);
create index source_suppressions_scanner on source_suppressions (scanner_id);
`
  },
}
