import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Schema of the first release. Severities and confidences are stored as GitLab's numbers, which sort correctly. */
export const foundation: Migration = {
  name: '0001_foundation',
  up(engine) {
    const { id, integer, boolean, time, json, bytewise } = columnTypes(engine)
    return `
create table organizations (
  id ${id},
  name text not null,
  path text not null unique,
  description text not null default '',
  is_public ${boolean} not null default true,
  created_at ${time} not null,
  updated_at ${time} not null
);

create table users (
  id ${id},
  username text not null,
  username_key text not null unique, -- lower case
  email text not null,
  email_key text not null unique,
  name text not null,
  password_hash text,
  state text not null default 'active' check (state in ('active', 'blocked', 'unconfirmed')),
  is_admin ${boolean} not null default false,
  is_external ${boolean} not null default false,
  can_create_group ${boolean} not null default true,
  projects_limit ${integer} not null default 100000,
  note text,
  created_by_id ${integer} references users(id) on delete set null,
  created_at ${time} not null,
  updated_at ${time} not null
);
create index users_created_by on users (created_by_id);

create table access_tokens (
  id ${id},
  user_id ${integer} not null references users(id) on delete cascade,
  kind text not null check (kind in ('personal', 'impersonation')),
  name text not null,
  description text,
  digest text not null unique, -- SHA-256 of the token; the token itself is never stored
  scopes ${json} not null,
  is_revoked ${boolean} not null default false,
  expires_on text, -- YYYY-MM-DD; invalid from that day on
  created_at ${time} not null
);
create index access_tokens_user on access_tokens (user_id, id);

-- A separate table, so that writes do not invalidate cached tokens.
create table token_uses (
  token_id ${integer} primary key references access_tokens(id) on delete cascade,
  last_used_at ${time} not null
);

create table namespaces (
  id ${id},
  organization_id ${integer} not null references organizations(id),
  kind text not null check (kind in ('user', 'group')),
  name ${bytewise} not null,
  path ${bytewise} not null,
  full_path text not null,
  full_path_key text not null unique,
  full_name text not null,
  description text not null default '',
  visibility text not null check (visibility in ('private', 'internal', 'public')),
  parent_id ${integer} references namespaces(id) on delete cascade,
  owner_id ${integer} references users(id) on delete cascade, -- set for a user's own namespace
  lineage ${bytewise} not null default '', -- ids from the root to the parent, each followed by a slash
  created_at ${time} not null,
  updated_at ${time} not null
);
create index namespaces_parent on namespaces (parent_id, id);
create index namespaces_owner on namespaces (owner_id);
create index namespaces_lineage on namespaces (lineage);

create table projects (
  id ${id},
  organization_id ${integer} not null references organizations(id),
  namespace_id ${integer} not null references namespaces(id) on delete cascade,
  creator_id ${integer} references users(id) on delete set null,
  name ${bytewise} not null,
  path ${bytewise} not null,
  full_path text not null,
  full_path_key text not null unique,
  description text,
  visibility text not null check (visibility in ('private', 'internal', 'public')),
  default_branch text not null default 'main',
  is_archived ${boolean} not null default false,
  star_count ${integer} not null default 0,
  enforce_auth_checks_on_uploads ${boolean} not null default true,
  promote_on_ingestion ${boolean} not null default false,
  created_at ${time} not null,
  updated_at ${time} not null,
  last_activity_at ${time} not null,
  unique (namespace_id, name)
);
create index projects_namespace on projects (namespace_id, id);
create index projects_visibility on projects (visibility, id);
create index projects_creator on projects (creator_id);
-- One index for each order of the list.
create index projects_by_name on projects (name, id);
create index projects_by_path on projects (path, id);
create index projects_by_update on projects (updated_at, id);
create index projects_by_activity on projects (last_activity_at, id);
create index projects_by_stars on projects (star_count, id);

create table project_stars (
  project_id ${integer} not null references projects(id) on delete cascade,
  user_id ${integer} not null references users(id) on delete cascade,
  created_at ${time} not null,
  primary key (project_id, user_id)
);
create index project_stars_user on project_stars (user_id, project_id);

create table members (
  id ${id},
  namespace_id ${integer} references namespaces(id) on delete cascade,
  project_id ${integer} references projects(id) on delete cascade,
  user_id ${integer} not null references users(id) on delete cascade,
  access_level ${integer} not null,
  expires_on text,
  created_by_id ${integer} references users(id) on delete set null,
  created_at ${time} not null,
  check ((namespace_id is null) <> (project_id is null)),
  unique (namespace_id, user_id),
  unique (project_id, user_id)
);
create index members_user on members (user_id);
create index members_created_by on members (created_by_id);

create table topics (
  id ${id},
  organization_id ${integer} not null references organizations(id) on delete cascade,
  name text not null,
  name_key text not null, -- lower case
  title text not null,
  title_key text not null,
  description text,
  avatar_key text,
  avatar_filename text,
  avatar_content_type text,
  avatar_bytes ${integer},
  total_projects_count ${integer} not null default 0,
  non_private_projects_count ${integer} not null default 0,
  created_at ${time} not null,
  updated_at ${time} not null,
  unique (organization_id, name_key)
);
create index topics_by_avatar on topics (avatar_key) where avatar_key is not null;
create index topics_by_use on topics (organization_id, non_private_projects_count desc, id);
create index topics_by_title on topics (organization_id, title_key);
create index topics_unused on topics (organization_id, non_private_projects_count desc, id) where total_projects_count = 0;

create table project_topics (
  id ${id},
  project_id ${integer} not null references projects(id) on delete cascade,
  topic_id ${integer} not null references topics(id) on delete cascade,
  unique (project_id, topic_id)
);
create index project_topics_topic on project_topics (topic_id, project_id);

create table uploads (
  id ${id},
  project_id ${integer} not null references projects(id) on delete cascade,
  uploaded_by_id ${integer} references users(id) on delete set null,
  secret text not null,
  filename text not null,
  bytes ${integer} not null,
  sha256 text not null,
  object_key text not null unique,
  created_at ${time} not null,
  unique (project_id, secret, filename)
);
create index uploads_newest on uploads (project_id, created_at desc, id desc);
create index uploads_uploader on uploads (uploaded_by_id);

create table imports (
  id ${id},
  project_id ${integer} not null references projects(id) on delete cascade,
  user_id ${integer} references users(id) on delete set null,
  ref text not null,
  commit_sha text,
  format text not null,
  format_version text,
  report_type text not null,
  scanner_name text,
  file_sha256 text not null,
  file_bytes ${integer} not null,
  findings_read ${integer} not null,
  findings_new ${integer} not null,
  findings_known ${integer} not null,
  findings_gone ${integer} not null,
  findings_returned ${integer} not null,
  findings_merged ${integer} not null,
  findings_skipped ${integer} not null,
  warnings ${json} not null,
  created_at ${time} not null
);
create index imports_newest on imports (project_id, id desc);
create index imports_user on imports (user_id);

create table scanners (
  id ${id},
  project_id ${integer} not null references projects(id) on delete cascade,
  external_id text not null,
  name text not null,
  vendor text not null,
  created_at ${time} not null,
  unique (project_id, external_id)
);

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

create table vulnerabilities (
  id ${id},
  project_id ${integer} not null references projects(id) on delete cascade,
  author_id ${integer} references users(id) on delete set null,
  title text not null,
  description text,
  state text not null check (state in ('detected', 'confirmed', 'resolved', 'dismissed')),
  severity ${integer} not null,
  confidence ${integer} not null,
  report_type text not null,
  is_on_default_branch ${boolean} not null default true,
  is_resolved_on_default_branch ${boolean} not null default false,
  confirmed_at ${time},
  confirmed_by_id ${integer} references users(id) on delete set null,
  dismissed_at ${time},
  dismissed_by_id ${integer} references users(id) on delete set null,
  resolved_at ${time},
  resolved_by_id ${integer} references users(id) on delete set null,
  created_at ${time} not null,
  updated_at ${time} not null
);
create index vulnerabilities_worst on vulnerabilities (project_id, is_on_default_branch, severity desc, id desc);
create index vulnerabilities_author on vulnerabilities (author_id);
create index vulnerabilities_confirmed_by on vulnerabilities (confirmed_by_id);
create index vulnerabilities_dismissed_by on vulnerabilities (dismissed_by_id);
create index vulnerabilities_resolved_by on vulnerabilities (resolved_by_id);

-- Updated in the transaction that changes a vulnerability, so that rows are never counted.
create table vulnerability_counts (
  project_id ${integer} not null references projects(id) on delete cascade,
  severity ${integer} not null,
  state text not null,
  total ${integer} not null,
  primary key (project_id, severity, state)
);

create table findings (
  id ${id},
  project_id ${integer} not null references projects(id) on delete cascade,
  vulnerability_id ${integer} unique references vulnerabilities(id) on delete set null,
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
create index findings_scanner on findings (scanner_id, report_type);
create index findings_primary_identifier on findings (primary_identifier_id);

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
  severity ${integer} not null, -- copied from the finding, so that one index serves the list
  is_present ${boolean} not null,
  first_import_id ${integer} references imports(id) on delete set null,
  last_import_id ${integer} references imports(id) on delete set null,
  first_seen_at ${time} not null,
  last_seen_at ${time} not null,
  unique (finding_id, ref)
);
create index occurrences_worst on occurrences (project_id, ref, is_present, severity desc, finding_id);
create index occurrences_first_import on occurrences (first_import_id);
create index occurrences_last_import on occurrences (last_import_id);
${engine === 'sqlite' ? topicSearchOnSqlite + projectSearchOnSqlite : topicSearchOnPostgres + projectSearchOnPostgres}
insert into organizations (name, path, created_at, updated_at)
values ('Default', 'default', '${seededAt}', '${seededAt}');
`
  },
}

const seededAt = '2026-01-01T00:00:00.000Z'

const topicSearchOnSqlite = `
create virtual table topics_search using fts5 (name, title, content='topics', content_rowid='id', tokenize='trigram');
create trigger topics_search_insert after insert on topics begin
  insert into topics_search (rowid, name, title) values (new.id, new.name, new.title);
end;
create trigger topics_search_delete after delete on topics begin
  insert into topics_search (topics_search, rowid, name, title) values ('delete', old.id, old.name, old.title);
end;
create trigger topics_search_update after update of name, title on topics begin
  insert into topics_search (topics_search, rowid, name, title) values ('delete', old.id, old.name, old.title);
  insert into topics_search (rowid, name, title) values (new.id, new.name, new.title);
end;
`

const topicSearchOnPostgres = `
create extension if not exists pg_trgm;
create index topics_name_trigrams on topics using gin (lower(name) gin_trgm_ops);
create index topics_title_trigrams on topics using gin (lower(title) gin_trgm_ops);
`

const projectSearchOnSqlite = `
create virtual table projects_search using fts5 (
  name, path, description, full_path, content='projects', content_rowid='id', tokenize='trigram'
);
create trigger projects_search_insert after insert on projects begin
  insert into projects_search (rowid, name, path, description, full_path)
  values (new.id, new.name, new.path, new.description, new.full_path);
end;
create trigger projects_search_delete after delete on projects begin
  insert into projects_search (projects_search, rowid, name, path, description, full_path)
  values ('delete', old.id, old.name, old.path, old.description, old.full_path);
end;
create trigger projects_search_update after update of name, path, description, full_path on projects begin
  insert into projects_search (projects_search, rowid, name, path, description, full_path)
  values ('delete', old.id, old.name, old.path, old.description, old.full_path);
  insert into projects_search (rowid, name, path, description, full_path)
  values (new.id, new.name, new.path, new.description, new.full_path);
end;
`

const projectSearchOnPostgres = `
create index projects_name_trigrams on projects using gin (lower(name) gin_trgm_ops);
create index projects_path_trigrams on projects using gin (lower(path) gin_trgm_ops);
create index projects_description_trigrams on projects using gin (lower(description) gin_trgm_ops);
create index projects_full_path_trigrams on projects using gin (lower(full_path) gin_trgm_ops);
`
