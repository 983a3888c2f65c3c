import type { ColumnTypes } from '../column-types.ts'

/** Imports of reports, and the scanners and categories that reports name. */
export const reports = ({ id, integer, boolean, time, json }: ColumnTypes) => `
create table imports (
  id ${id},
  project_id ${integer} not null references projects(id) on delete cascade,
  user_id ${integer} references users(id) on delete set null,
  as_admin ${boolean} not null default false, -- whether the request had administrator rights
  state text not null default 'done' check (state in ('waiting', 'running', 'done', 'failed')),
  ref text not null,
  commit_sha text,
  category text, -- name, because the category may not exist before the import is visible
  artifact text, -- of a report without a category: image without tag and digest; null if unknown
  format text not null,
  format_version text,
  report_type text not null,
  scanner_name text,
  options ${json},
  file_sha256 text not null,
  file_bytes ${integer} not null,
  object_key text, -- the report, until it was imported
  attempt text, -- only this attempt may finish the import
  interruptions ${integer} not null default 0, -- attempts that ended with their process
  read_bytes ${integer} not null default 0,
  findings_read ${integer} not null,
  findings_new ${integer} not null,
  findings_known ${integer} not null,
  findings_absent ${integer} not null,
  findings_reappeared ${integer} not null,
  findings_merged ${integer} not null,
  findings_skipped ${integer} not null,
  findings_changed ${integer} not null default 0,
  findings_moved ${integer} not null default 0,
  findings_promoted ${integer} not null default 0,
  warnings ${json} not null,
  outcome ${json}, -- samples, skipped and merged findings; problems of a failed import
  created_at ${time} not null,
  started_at ${time},
  shown_at ${time}, -- time from which lists include its findings; null for older imports
  finished_at ${time}
);
create unique index imports_object on imports (object_key) where object_key is not null;
create index imports_newest on imports (project_id, id desc);
create index imports_user on imports (user_id);
create index imports_open_project on imports (project_id, file_bytes) where state in ('waiting', 'running');
create index imports_open_user on imports (user_id, file_bytes) where state in ('waiting', 'running');
create index imports_failed_file on imports (finished_at, id) where state = 'failed' and object_key is not null;

-- Data of known findings, until the whole report is read.
create table staged_findings (
  import_id ${integer} not null references imports(id) on delete cascade,
  uuid text not null,
  draft ${json} not null,
  primary key (import_id, uuid)
);

-- Findings that an import promotes after it is visible.
create table staged_promotions (
  import_id ${integer} not null references imports(id) on delete cascade,
  position ${integer} not null,
  finding_ids ${json} not null, -- one batch, promoted in one transaction
  primary key (import_id, position)
);

create table scanners (
  id ${id},
  project_id ${integer} not null references projects(id) on delete cascade,
  external_id text not null,
  name text not null,
  vendor text not null,
  created_at ${time} not null,
  unique (project_id, external_id)
);

-- Several reports of one scanner for one ref each cover only their own category.
create table report_categories (
  id ${id},
  project_id ${integer} not null references projects(id) on delete cascade,
  name text not null,
  unique (project_id, name)
);

-- Scans of an import. A finding is present until a later complete scan does not report it.
create table scans (
  import_id ${integer} not null references imports(id) on delete cascade,
  scanner_id ${integer} not null references scanners(id) on delete cascade,
  report_type text not null,
  ref text not null,
  category_id ${integer} references report_categories(id) on delete cascade,
  is_complete ${boolean} not null,
  observed_at ${time} not null,
  primary key (import_id, scanner_id, report_type)
);
create index scans_category on scans (category_id);
-- Finds the newest complete scan of each category directly. Category 0 stands for reports without one.
create index scans_newest_of_category
  on scans (scanner_id, report_type, ref, coalesce(category_id, 0), is_complete, import_id);
`
