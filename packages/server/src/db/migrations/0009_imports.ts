import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Asynchronous imports, matches of moved findings, and the last scan of each finding. */
export const imports: Migration = {
  name: '0009_imports',
  up(engine) {
    const { id, integer, boolean, time, json } = columnTypes(engine)
    return `
alter table imports add column state text not null default 'done'
  check (state in ('waiting', 'running', 'done', 'failed'));
alter table imports add column options ${json};
alter table imports add column object_key text; -- the report, until it was imported
alter table imports add column run text; -- attempt that may finish the import
alter table imports add column started_at ${time};
alter table imports add column finished_at ${time};
alter table imports add column read_bytes ${integer} not null default 0;
alter table imports add column findings_changed ${integer} not null default 0;
alter table imports add column findings_moved ${integer} not null default 0;
alter table imports add column findings_promoted ${integer} not null default 0;
alter table imports add column outcome ${json}; -- samples, skipped and merged findings; problems of a failed import
create unique index imports_object on imports (object_key) where object_key is not null;

-- A finding without an occurrence is invisible, because its import has not finished.
alter table findings add column import_id ${integer} references imports(id) on delete set null;
create index findings_import on findings (import_id);

-- Signatures that another finding of the same flaw would share, best first.
create table finding_keys (
  finding_id ${integer} not null references findings(id) on delete cascade,
  rank ${integer} not null,
  project_id ${integer} not null references projects(id) on delete cascade,
  key text not null,
  primary key (finding_id, rank)
);
create index finding_keys_key on finding_keys (project_id, key, finding_id);

-- Matches of a finding that was reported with another uuid, and the reason of the match.
create table finding_matches (
  id ${id},
  project_id ${integer} not null references projects(id) on delete cascade,
  finding_id ${integer} not null references findings(id) on delete cascade,
  import_id ${integer} references imports(id) on delete set null,
  uuid text not null,
  reason text not null,
  ref text not null,
  old_location ${json} not null,
  new_location ${json} not null,
  created_at ${time} not null,
  unique (project_id, uuid)
);
create index finding_matches_finding on finding_matches (finding_id, id);
create index finding_matches_import on finding_matches (import_id);

-- Staged data of known findings, until the whole report is read.
create table staged_findings (
  import_id ${integer} not null references imports(id) on delete cascade,
  uuid text not null,
  draft ${json} not null,
  primary key (import_id, uuid)
);

-- Scans of an import. A finding is present until a later complete scan does not report it.
create table scans (
  import_id ${integer} not null references imports(id) on delete cascade,
  scanner_id ${integer} not null references scanners(id) on delete cascade,
  report_type text not null,
  ref text not null,
  is_complete ${boolean} not null,
  seen_at ${time} not null,
  primary key (import_id, scanner_id, report_type)
);
create index scans_newest on scans (scanner_id, report_type, ref, import_id);
`
  },
}
