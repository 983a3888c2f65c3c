import type { ColumnTypes } from '../column-types.ts'
import { searchIndexes } from './search.ts'

/** Maximum lengths of indexed texts. Titles are never longer, and indexes cannot contain texts of any length. */
const maxName = 255
const maxPath = 500

/** Findings of scanners, their identifiers, occurrences on refs and matches, and promotions to vulnerabilities. */
export const findings = (types: ColumnTypes) => {
  const { engine, id, integer, boolean, time, json } = types
  return `
create table identifiers (
  id ${id},
  project_id ${integer} not null references projects(id) on delete cascade,
  fingerprint text not null,
  external_type text not null,
  external_id text not null,
  name text not null,
  url text,
  unique (project_id, fingerprint)
);
create index identifiers_by_name on identifiers (project_id, ${asciiLower(engine, 'name')});
create index identifiers_by_external_id on identifiers (project_id, ${asciiLower(engine, 'external_id')});
${searchIndexes(engine, 'identifiers', ['name'])}

create table findings (
  id ${id},
  project_id ${integer} not null references projects(id) on delete cascade,
  vulnerability_id ${integer} unique references vulnerabilities(id) on delete set null,
  -- A finding without an occurrence is invisible, because its import has not finished.
  import_id ${integer} references imports(id) on delete set null,
  uuid text not null,
  report_type text not null,
  scanner_id ${integer} not null references scanners(id) on delete cascade,
  primary_identifier_id ${integer} not null references identifiers(id) on delete cascade,
  name text not null,
  description text,
  solution text,
  severity ${integer} not null,
  confidence ${integer} not null,
  cve text,
  location ${json} not null,
  ${locationPath[engine]},
  location_fingerprint text not null,
  details ${json} not null,
  extras ${json} not null, -- links, flags, evidence, assets, cvss, remediations, signatures
  digest text not null, -- of all reported data, to skip unchanged findings
  metadata_version text not null,
  raw_metadata text not null,
  detected_at ${time} not null,
  created_at ${time} not null,
  updated_at ${time} not null,
  unique (project_id, uuid)
);
create index findings_import on findings (import_id);
create index findings_primary_identifier on findings (primary_identifier_id);
create index findings_scanner on findings (scanner_id, report_type, id);
create index findings_unpromoted on findings (project_id, id) where vulnerability_id is null;
-- These return findings with a text in id order, so that they can be read in ranges.
create index findings_by_name on findings (project_id, substr(name, 1, ${maxName})${idOnPostgres(engine)});
create index findings_by_location_path
  on findings (project_id, substr(location_path, 1, ${maxPath})${idOnPostgres(engine)});
-- Covers the filters of lists by a finding's id, because rows of findings are wide and reading thousands takes seconds.
create index findings_filter_columns on findings (id, vulnerability_id, scanner_id, report_type);

-- Distinct names and location paths of findings per project, for searches: indexing the texts of every finding would
-- cost far more. Written by triggers; texts that are no longer used match no findings.
create table finding_texts (
  id ${id},
  project_id ${integer} not null references projects(id) on delete cascade,
  text text not null,
  unique (project_id, text)
);
${engine === 'sqlite' ? textsOnSqlite : textsOnPostgres}

create table finding_identifiers (
  finding_id ${integer} not null references findings(id) on delete cascade,
  position ${integer} not null,
  identifier_id ${integer} not null references identifiers(id) on delete cascade,
  primary key (finding_id, position)
);
create index finding_identifiers_identifier on finding_identifiers (identifier_id, finding_id);

-- A finding exists once per project; each occurrence records a ref on which it was reported, and whether it still is.
create table occurrences (
  id ${id},
  project_id ${integer} not null references projects(id) on delete cascade,
  finding_id ${integer} not null references findings(id) on delete cascade,
  ref text not null,
  -- Copies of the finding's severity and its vulnerability's state (detected without one), so that one index returns
  -- every list by state in order.
  severity ${integer} not null,
  state text not null default 'detected',
  is_present ${boolean} not null,
  -- Ids of the categories whose newest reports contain the finding, as ',3,7,'; empty for reports without a category.
  categories text not null default '',
  first_import_id ${integer} references imports(id) on delete set null,
  last_import_id ${integer} references imports(id) on delete set null,
  first_seen_at ${time} not null,
  last_seen_at ${time} not null,
  unique (finding_id, ref)
);
create index occurrences_by_severity on occurrences (project_id, ref, is_present, state, severity desc, finding_id);
create index occurrences_first_import on occurrences (first_import_id);
create index occurrences_last_import on occurrences (last_import_id);

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
${promotions(types)}`
}

const promotions = ({ id, integer, boolean, time, json }: ColumnTypes) => `
-- Filter columns of vulnerabilities by finding id, in rows that are as small as possible, because lists examine tens of
-- thousands of them. The facets are packed into bits (facetsOf in promoted-queries.ts).
create table promoted_findings (
  finding_id ${integer} primary key references findings(id) on delete cascade,
  vulnerability_id ${integer} not null, -- not a foreign key, because both are deleted with their project
  facets ${integer} not null,
  scanner_id ${integer} not null -- scanner of the vulnerability, 0 for none
);

-- Bulk promotions of findings, which run in batches and continue after a crash.
create table finding_promotions (
  id ${id},
  project_id ${integer} not null references projects(id) on delete cascade,
  user_id ${integer} references users(id) on delete set null,
  as_admin ${boolean} not null default false, -- whether the request had administrator rights
  state text not null, -- running, done, failed
  total ${integer} not null,
  promoted ${integer} not null,
  unchanged ${integer} not null, -- already were vulnerabilities
  created_at ${time} not null,
  finished_at ${time}
);
create index finding_promotions_project on finding_promotions (project_id);
create index finding_promotions_user on finding_promotions (user_id);
create index finding_promotions_finished on finding_promotions (finished_at);

create table finding_promotion_batches (
  promotion_id ${integer} not null references finding_promotions(id) on delete cascade,
  position ${integer} not null,
  finding_ids ${json} not null, -- promoted in one transaction
  primary key (promotion_id, position)
);
`

const locationPath = {
  sqlite: `location_path text generated always as (
    coalesce(location ->> '$.file', location ->> '$.image', location ->> '$.path')) virtual`,
  postgres: `location_path text generated always as (
    coalesce(location ->> 'file', location ->> 'image', location ->> 'path')) stored`,
}

const asciiLower = (engine: ColumnTypes['engine'], column: string) =>
  engine === 'sqlite' ? `lower(${column})` : `lower(${column} collate "C")`

/** Returns the last column of an index in id order. SQLite's indexes always include the id. */
const idOnPostgres = (engine: ColumnTypes['engine']) => (engine === 'sqlite' ? '' : ', id')

const insertTexts = `
  insert or ignore into finding_texts (project_id, text) values (new.project_id, substr(new.name, 1, ${maxName}));
  insert or ignore into finding_texts (project_id, text)
  select new.project_id, substr(new.location_path, 1, ${maxPath}) where new.location_path is not null;`
const textsOnSqlite = `
create trigger findings_texts_insert after insert on findings begin ${insertTexts} end;
create trigger findings_texts_update after update of name, location on findings
when old.name is not new.name or old.location_path is not new.location_path begin ${insertTexts} end;
${searchIndexes('sqlite', 'finding_texts', ['text'])}`

const textsOnPostgres = `
create function insert_finding_texts() returns trigger language plpgsql as $$
begin
  insert into finding_texts (project_id, text) values (new.project_id, left(new.name, ${maxName}))
  on conflict do nothing;
  if new.location_path is not null then
    insert into finding_texts (project_id, text) values (new.project_id, left(new.location_path, ${maxPath}))
    on conflict do nothing;
  end if;
  return null;
end $$;
create trigger findings_texts_insert after insert on findings for each row execute function insert_finding_texts();
create trigger findings_texts_update after update of name, location on findings for each row
when (old.name is distinct from new.name or old.location::text is distinct from new.location::text)
execute function insert_finding_texts();
create index finding_texts_trigrams on finding_texts using gin (lower(text) gin_trgm_ops);`
