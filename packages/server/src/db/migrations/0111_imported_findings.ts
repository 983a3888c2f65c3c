import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Findings of other products that were imported, and the keys by which reports of scanners recognise them. */
export const importedFindings: Migration = {
  name: '0111_imported_findings',
  up(engine) {
    const { id, integer, boolean, time, json } = columnTypes(engine)
    return `
create table imported_findings (
  id ${id},
  project_id ${integer} not null references projects(id) on delete cascade,
  finding_id ${integer} not null references findings(id) on delete cascade,
  source text not null, -- such as: defectdojo
  source_id text not null,
  source_name text not null,
  source_url text,
  digest text not null, -- of the record, to skip repeated ones
  is_created ${boolean} not null, -- whether the import has created the finding
  applied ${json} not null, -- what the import has set and written
  created_at ${time} not null,
  updated_at ${time} not null,
  unique (project_id, source, source_id, finding_id)
);
create index imported_findings_finding on imported_findings (finding_id);

-- Of findings that no report has contained since they were imported.
create table imported_finding_keys (
  finding_id ${integer} not null references findings(id) on delete cascade,
  project_id ${integer} not null references projects(id) on delete cascade,
  rank ${integer} not null,
  key text not null,
  primary key (finding_id, key)
);
create index imported_finding_keys_key on imported_finding_keys (project_id, key, finding_id);
`
  },
}
