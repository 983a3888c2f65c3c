-- Schema that the program of commit 5d14de7 left in a SQLite database.

create table schema_migrations (
  name text primary key,
  applied_at text not null
);
create table organizations (
  id integer primary key autoincrement,
  name text not null,
  path text not null unique,
  description text not null default '',
  is_public boolean not null default true,
  created_at text not null,
  updated_at text not null,
  created_by_id integer references users(id) on delete set null
);
create table users (
  id integer primary key autoincrement,
  username text not null,
  username_key text not null unique,
  email text not null,
  email_key text not null unique,
  name text not null,
  password_hash text,
  state text not null default 'active' check (state in ('active', 'blocked', 'unconfirmed')),
  is_admin boolean not null default false,
  is_external boolean not null default false,
  can_create_group boolean not null default true,
  projects_limit integer not null default 100000,
  note text,
  created_by_id integer references users(id) on delete set null,
  created_at text not null,
  updated_at text not null,
  is_deactivated boolean not null default false,
  is_banned boolean not null default false
);
create index users_created_by on users (created_by_id);
create table access_tokens (
  id integer primary key autoincrement,
  user_id integer not null references users(id) on delete cascade,
  kind text not null check (kind in ('personal', 'impersonation')),
  name text not null,
  description text,
  digest text not null unique,
  scopes json not null,
  is_revoked boolean not null default false,
  expires_on text,
  created_at text not null,
  family_id integer references access_tokens(id) on delete set null
);
create index access_tokens_user on access_tokens (user_id, id);
create table token_uses (
  token_id integer primary key references access_tokens(id) on delete cascade,
  last_used_at text not null
);
create table namespaces (
  id integer primary key autoincrement,
  organization_id integer not null references organizations(id),
  kind text not null check (kind in ('user', 'group')),
  name text not null,
  path text not null,
  full_path text not null,
  full_path_key text not null unique,
  full_name text not null,
  description text not null default '',
  visibility text not null check (visibility in ('private', 'internal', 'public')),
  parent_id integer references namespaces(id) on delete cascade,
  owner_id integer references users(id) on delete cascade,
  lineage text not null default '',
  created_at text not null,
  updated_at text not null
);
create index namespaces_parent on namespaces (parent_id, id);
create index namespaces_owner on namespaces (owner_id);
create index namespaces_lineage on namespaces (lineage);
create table projects (
  id integer primary key autoincrement,
  organization_id integer not null references organizations(id),
  namespace_id integer not null references namespaces(id) on delete cascade,
  creator_id integer references users(id) on delete set null,
  name text not null,
  path text not null,
  full_path text not null,
  full_path_key text not null unique,
  description text,
  visibility text not null check (visibility in ('private', 'internal', 'public')),
  default_branch text not null default 'main',
  is_archived boolean not null default false,
  star_count integer not null default 0,
  enforce_auth_checks_on_uploads boolean not null default true,
  promote_on_ingestion boolean not null default false,
  created_at text not null,
  updated_at text not null,
  last_activity_at text not null,
  max_upload_bytes integer,
  upload_quota_bytes integer,
  auto_resolve boolean not null default false,
  unique (namespace_id, name)
);
create index projects_namespace on projects (namespace_id, id);
create index projects_visibility on projects (visibility, id);
create index projects_creator on projects (creator_id);
create index projects_by_name on projects (name, id);
create index projects_by_path on projects (path, id);
create index projects_by_update on projects (updated_at, id);
create index projects_by_activity on projects (last_activity_at, id);
create index projects_by_stars on projects (star_count, id);
create table project_stars (
  project_id integer not null references projects(id) on delete cascade,
  user_id integer not null references users(id) on delete cascade,
  created_at text not null,
  primary key (project_id, user_id)
);
create index project_stars_user on project_stars (user_id, project_id);
create table members (
  id integer primary key autoincrement,
  namespace_id integer references namespaces(id) on delete cascade,
  project_id integer references projects(id) on delete cascade,
  user_id integer not null references users(id) on delete cascade,
  access_level integer not null,
  expires_on text,
  created_by_id integer references users(id) on delete set null,
  created_at text not null,
  updated_at text,
  check ((namespace_id is null) <> (project_id is null)),
  unique (namespace_id, user_id),
  unique (project_id, user_id)
);
create index members_user on members (user_id);
create index members_created_by on members (created_by_id);
create table topics (
  id integer primary key autoincrement,
  organization_id integer not null references organizations(id) on delete cascade,
  name text not null,
  name_key text not null,
  title text not null,
  title_key text not null,
  description text,
  avatar_key text,
  avatar_filename text,
  avatar_content_type text,
  avatar_bytes integer,
  total_projects_count integer not null default 0,
  non_private_projects_count integer not null default 0,
  created_at text not null,
  updated_at text not null,
  unique (organization_id, name_key)
);
create index topics_by_avatar on topics (avatar_key) where avatar_key is not null;
create index topics_by_use on topics (organization_id, non_private_projects_count desc, id);
create index topics_by_title on topics (organization_id, title_key);
create index topics_unused on topics (organization_id, non_private_projects_count desc, id) where total_projects_count = 0;
create table project_topics (
  id integer primary key autoincrement,
  project_id integer not null references projects(id) on delete cascade,
  topic_id integer not null references topics(id) on delete cascade,
  unique (project_id, topic_id)
);
create index project_topics_topic on project_topics (topic_id, project_id);
create table imports (
  id integer primary key autoincrement,
  project_id integer not null references projects(id) on delete cascade,
  user_id integer references users(id) on delete set null,
  ref text not null,
  commit_sha text,
  format text not null,
  format_version text,
  report_type text not null,
  scanner_name text,
  file_sha256 text not null,
  file_bytes integer not null,
  findings_read integer not null,
  findings_new integer not null,
  findings_known integer not null,
  findings_gone integer not null,
  findings_returned integer not null,
  findings_merged integer not null,
  findings_skipped integer not null,
  warnings json not null,
  created_at text not null,
  state text not null default 'done' check (state in ('waiting', 'running', 'done', 'failed')),
  options json,
  object_key text,
  run text,
  started_at text,
  finished_at text,
  read_bytes integer not null default 0,
  findings_changed integer not null default 0,
  findings_moved integer not null default 0,
  findings_promoted integer not null default 0,
  outcome json,
  shown_at text,
  category text
);
create index imports_newest on imports (project_id, id desc);
create index imports_user on imports (user_id);
create table scanners (
  id integer primary key autoincrement,
  project_id integer not null references projects(id) on delete cascade,
  external_id text not null,
  name text not null,
  vendor text not null,
  created_at text not null,
  unique (project_id, external_id)
);
create table identifiers (
  id integer primary key autoincrement,
  project_id integer not null references projects(id) on delete cascade,
  fingerprint text not null,
  external_type text not null,
  external_id text not null,
  name text not null,
  url text,
  unique (project_id, fingerprint)
);
create table vulnerabilities (
  id integer primary key autoincrement,
  project_id integer not null references projects(id) on delete cascade,
  author_id integer references users(id) on delete set null,
  title text not null,
  description text,
  state text not null check (state in ('detected', 'confirmed', 'resolved', 'dismissed')),
  severity integer not null,
  confidence integer not null,
  report_type text not null,
  is_on_default_branch boolean not null default true,
  is_resolved_on_default_branch boolean not null default false,
  confirmed_at text,
  confirmed_by_id integer references users(id) on delete set null,
  dismissed_at text,
  dismissed_by_id integer references users(id) on delete set null,
  resolved_at text,
  resolved_by_id integer references users(id) on delete set null,
  created_at text not null,
  updated_at text not null,
  scanner_id integer not null default 0,
  dismissal_reason text,
  is_severity_overridden boolean not null default false,
  is_auto_resolved boolean not null default false
);
create index vulnerabilities_worst on vulnerabilities (project_id, is_on_default_branch, severity desc, id desc);
create index vulnerabilities_author on vulnerabilities (author_id);
create index vulnerabilities_confirmed_by on vulnerabilities (confirmed_by_id);
create index vulnerabilities_dismissed_by on vulnerabilities (dismissed_by_id);
create index vulnerabilities_resolved_by on vulnerabilities (resolved_by_id);
create table findings (
  id integer primary key autoincrement,
  project_id integer not null references projects(id) on delete cascade,
  vulnerability_id integer unique references vulnerabilities(id) on delete set null,
  uuid text not null,
  report_type text not null,
  scanner_id integer not null references scanners(id) on delete cascade,
  primary_identifier_id integer not null references identifiers(id) on delete cascade,
  name text not null,
  description text,
  solution text,
  severity integer not null,
  confidence integer not null,
  cve text,
  location json not null,
  location_fingerprint text not null,
  details json not null,
  extras json not null,
  digest text not null,
  metadata_version text not null,
  raw_metadata text not null,
  detected_at text not null,
  created_at text not null,
  updated_at text not null,
  place text generated always as ( coalesce(location ->> '$.file', location ->> '$.image', location ->> '$.path')) virtual,
  import_id integer references imports(id) on delete set null,
  unique (project_id, uuid)
);
create index findings_primary_identifier on findings (primary_identifier_id);
create table finding_identifiers (
  finding_id integer not null references findings(id) on delete cascade,
  position integer not null,
  identifier_id integer not null references identifiers(id) on delete cascade,
  primary key (finding_id, position)
);
create index finding_identifiers_identifier on finding_identifiers (identifier_id, finding_id);
create table occurrences (
  id integer primary key autoincrement,
  project_id integer not null references projects(id) on delete cascade,
  finding_id integer not null references findings(id) on delete cascade,
  ref text not null,
  severity integer not null,
  is_present boolean not null,
  first_import_id integer references imports(id) on delete set null,
  last_import_id integer references imports(id) on delete set null,
  first_seen_at text not null,
  last_seen_at text not null,
  categories text not null default '',
  unique (finding_id, ref)
);
create index occurrences_worst on occurrences (project_id, ref, is_present, severity desc, finding_id);
create index occurrences_first_import on occurrences (first_import_id);
create index occurrences_last_import on occurrences (last_import_id);
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
create virtual table projects_search using fts5 ( name, path, description, full_path, content='projects', content_rowid='id', tokenize='trigram' );
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
create table uploads (
  id integer primary key autoincrement,
  project_id integer references projects(id) on delete cascade,
  namespace_id integer references namespaces(id) on delete cascade,
  uploaded_by_id integer references users(id) on delete set null,
  secret text not null,
  filename text not null,
  content_type text not null default 'application/octet-stream',
  bytes integer not null,
  sha256 text not null,
  object_key text not null unique,
  created_at text not null,
  deleted_at text,
  deleted_by_id integer references users(id) on delete set null,
  check ((project_id is null) <> (namespace_id is null)),
  unique (project_id, secret, filename),
  unique (namespace_id, secret, filename)
);
create index uploads_newest on uploads (project_id, created_at desc, id desc) where deleted_at is null;
create index uploads_by_name on uploads (project_id, filename, id) where deleted_at is null;
create index uploads_by_size on uploads (project_id, bytes, id) where deleted_at is null;
create index group_uploads_newest on uploads (namespace_id, created_at desc, id desc) where deleted_at is null;
create index uploads_uploader on uploads (uploaded_by_id);
create index uploads_deleter on uploads (deleted_by_id);
create index uploads_deleted on uploads (deleted_at, id) where deleted_at is not null;
create table upload_usage (
  project_id integer unique references projects(id) on delete cascade,
  namespace_id integer unique references namespaces(id) on delete cascade,
  files integer not null,
  bytes integer not null,
  check ((project_id is null) <> (namespace_id is null))
);
create table doomed_objects (
  id integer primary key autoincrement,
  object_key text not null unique,
  doomed_at text not null
);
create table sessions (
  id integer primary key autoincrement,
  user_id integer not null references users(id) on delete cascade,
  digest text not null unique,
  expires_at text not null,
  created_at text not null,
  address text,
  user_agent text,
  admin_until text,
  token_id integer references access_tokens(id) on delete cascade
);
create index sessions_user on sessions (user_id);
create index sessions_expiry on sessions (expires_at);
create table moved_paths (
  path_key text primary key,
  project_id integer references projects(id) on delete cascade,
  namespace_id integer references namespaces(id) on delete cascade,
  created_at text not null,
  check ((project_id is null) <> (namespace_id is null))
);
create index moved_paths_project on moved_paths (project_id) where project_id is not null;
create index moved_paths_namespace on moved_paths (namespace_id) where namespace_id is not null;
create index namespaces_by_name on namespaces (kind, name, id);
create index namespaces_by_path on namespaces (kind, path, id);
create index namespaces_by_kind on namespaces (kind, id);
create index users_by_name on users (name, id);
create index users_by_creation on users (created_at, id);
create index users_by_update on users (updated_at, id);
create index members_expiry on members (expires_on, id) where expires_on is not null;
create table topic_names (
  id integer primary key autoincrement,
  organization_id integer not null references organizations(id) on delete cascade,
  topic_id integer not null references topics(id) on delete cascade,
  name text not null,
  name_key text not null,
  is_alias boolean not null,
  created_at text not null,
  unique (organization_id, name_key)
);
create index topic_names_topic on topic_names (topic_id, is_alias, name_key);
create table topic_merges (
  id integer primary key autoincrement,
  organization_id integer not null references organizations(id) on delete cascade,
  source_id integer not null,
  source_name text not null,
  source_title text not null,
  source_description text,
  source_avatar_key text,
  source_avatar_filename text,
  source_avatar_content_type text,
  source_avatar_bytes integer,
  source_created_at text not null,
  source_updated_at text not null,
  target_id integer not null,
  target_name text not null,
  moved_projects_count integer not null,
  shared_projects_count integer not null,
  keeps_alias boolean not null,
  merged_by_id integer references users(id) on delete set null,
  merged_at text not null,
  undone_by_id integer references users(id) on delete set null,
  undone_at text,
  forgotten_at text
);
create index topic_merges_newest on topic_merges (organization_id, id);
create index topic_merges_source on topic_merges (source_id, id);
create index topic_merges_merged_by on topic_merges (merged_by_id);
create index topic_merges_undone_by on topic_merges (undone_by_id);
create index topic_merges_avatar on topic_merges (source_avatar_key) where source_avatar_key is not null;
create index topic_merges_kept on topic_merges (merged_at, id) where undone_at is null and forgotten_at is null;
create table topic_merge_projects (
  merge_id integer not null references topic_merges(id) on delete cascade,
  project_id integer not null,
  had_both boolean not null,
  primary key (merge_id, project_id)
);
create table topic_merge_aliases (
  merge_id integer not null references topic_merges(id) on delete cascade,
  name text not null,
  name_key text not null,
  created_at text not null,
  primary key (merge_id, name_key)
);
create virtual table topic_names_search using fts5 (name, content='topic_names', content_rowid='id', tokenize='trigram');
create trigger topic_names_search_insert after insert on topic_names when new.is_alias begin
  insert into topic_names_search (rowid, name) values (new.id, new.name);
end;
create trigger topic_names_search_delete after delete on topic_names when old.is_alias begin
  insert into topic_names_search (topic_names_search, rowid, name) values ('delete', old.id, old.name);
end;
create trigger topic_names_search_update_old after update of name, is_alias on topic_names when old.is_alias begin
  insert into topic_names_search (topic_names_search, rowid, name) values ('delete', old.id, old.name);
end;
create trigger topic_names_search_update_new after update of name, is_alias on topic_names when new.is_alias begin
  insert into topic_names_search (rowid, name) values (new.id, new.name);
end;
create index access_tokens_family on access_tokens (family_id);
create index organizations_created_by on organizations (created_by_id);
create table session_uses (
  session_id integer primary key references sessions(id) on delete cascade,
  last_used_at text not null
);
create table password_links (
  id integer primary key autoincrement,
  user_id integer not null references users(id) on delete cascade,
  digest text not null unique,
  expires_at text not null,
  created_at text not null
);
create index password_links_user on password_links (user_id);
create table request_counts (
  name text not null,
  subject text not null,
  requests integer not null,
  ends_at text not null,
  primary key (name, subject)
);
create index request_counts_ended on request_counts (ends_at);
create index vulnerabilities_by_cell on vulnerabilities (project_id, is_on_default_branch, severity, state, report_type, scanner_id, is_resolved_on_default_branch, coalesce(dismissal_reason, ''), id);
create table vulnerability_counts (
  project_id integer not null references projects(id) on delete cascade,
  is_on_default_branch boolean not null,
  severity integer not null,
  state text not null,
  report_type text not null,
  scanner_id integer not null,
  is_resolved_on_default_branch boolean not null,
  dismissal_reason text not null,
  total integer not null,
  seconds integer not null,
  primary key (project_id, is_on_default_branch, severity, state, report_type, scanner_id, is_resolved_on_default_branch, dismissal_reason)
);
create table vulnerability_days (
  project_id integer not null references projects(id) on delete cascade,
  day text not null,
  severity integer not null,
  growth integer not null,
  primary key (project_id, day, severity)
);
create index identifiers_by_name on identifiers (project_id, lower(name));
create index identifiers_by_external_id on identifiers (project_id, lower(external_id));
create table finding_texts (
  id integer primary key autoincrement,
  project_id integer not null references projects(id) on delete cascade,
  text text not null,
  unique (project_id, text)
);
create trigger findings_texts_insert after insert on findings begin
  insert or ignore into finding_texts (project_id, text) values (new.project_id, substr(new.name, 1, 255));
  insert or ignore into finding_texts (project_id, text)
  select new.project_id, substr(new.place, 1, 500) where new.place is not null;
end;
create trigger findings_texts_update after update of name, location on findings
when old.name is not new.name or old.place is not new.place begin
  insert or ignore into finding_texts (project_id, text) values (new.project_id, substr(new.name, 1, 255));
  insert or ignore into finding_texts (project_id, text)
  select new.project_id, substr(new.place, 1, 500) where new.place is not null;
end;
create virtual table finding_texts_search using fts5(text, content='finding_texts', content_rowid='id', tokenize='trigram');
create trigger finding_texts_search_insert after insert on finding_texts begin
  insert into finding_texts_search (rowid, text) values (new.id, new.text);
end;
create trigger finding_texts_search_delete after delete on finding_texts begin
  insert into finding_texts_search (finding_texts_search, rowid, text) values ('delete', old.id, old.text);
end;
create trigger finding_texts_search_update after update of text on finding_texts begin
  insert into finding_texts_search (finding_texts_search, rowid, text) values ('delete', old.id, old.text);
  insert into finding_texts_search (rowid, text) values (new.id, new.text);
end;
create virtual table identifiers_search using fts5(name, content='identifiers', content_rowid='id', tokenize='trigram');
create trigger identifiers_search_insert after insert on identifiers begin
  insert into identifiers_search (rowid, name) values (new.id, new.name);
end;
create trigger identifiers_search_delete after delete on identifiers begin
  insert into identifiers_search (identifiers_search, rowid, name) values ('delete', old.id, old.name);
end;
create trigger identifiers_search_update after update of name on identifiers begin
  insert into identifiers_search (identifiers_search, rowid, name) values ('delete', old.id, old.name);
  insert into identifiers_search (rowid, name) values (new.id, new.name);
end;
create index vulnerabilities_gone on vulnerabilities (project_id, report_type, id) where is_resolved_on_default_branch = true and state = 'detected';
create table vulnerability_bulks (
  id integer primary key autoincrement,
  project_id integer not null references projects(id) on delete cascade,
  user_id integer references users(id) on delete set null,
  action text not null,
  changed integer not null,
  unchanged integer not null,
  created_at text not null,
  undone_at text,
  undone_by_id integer references users(id) on delete set null,
  restored integer
);
create index vulnerability_bulks_newest on vulnerability_bulks (project_id, id desc);
create index vulnerability_bulks_user on vulnerability_bulks (user_id);
create index vulnerability_bulks_undone_by on vulnerability_bulks (undone_by_id);
create table vulnerability_history (
  id integer primary key autoincrement,
  vulnerability_id integer not null references vulnerabilities(id) on delete cascade,
  kind text not null,
  user_id integer references users(id) on delete set null,
  import_id integer references imports(id) on delete set null,
  bulk_id integer references vulnerability_bulks(id) on delete set null,
  ref text,
  from_value text,
  to_value text,
  comment text,
  dismissal_reason text,
  details json,
  created_at text not null,
  updated_at text not null
);
create index vulnerability_history_of on vulnerability_history (vulnerability_id, id);
create index vulnerability_history_user on vulnerability_history (user_id) where user_id is not null;
create index vulnerability_history_import on vulnerability_history (import_id) where import_id is not null;
create index vulnerability_history_bulk on vulnerability_history (bulk_id, id) where bulk_id is not null;
create table vulnerability_links (
  id integer primary key autoincrement,
  vulnerability_id integer not null references vulnerabilities(id) on delete cascade,
  user_id integer references users(id) on delete set null,
  link_type text not null check (link_type in ('related', 'created')),
  url text not null,
  title text not null,
  created_at text not null,
  updated_at text not null,
  unique (vulnerability_id, url)
);
create unique index vulnerability_links_created on vulnerability_links (vulnerability_id) where link_type = 'created';
create index vulnerability_links_user on vulnerability_links (user_id);
create table jobs (
  id integer primary key autoincrement,
  kind text not null,
  key text,
  payload json not null,
  state text not null default 'waiting' check (state in ('waiting', 'running', 'finished', 'failed')),
  attempts integer not null default 0,
  run_at text not null,
  lease text,
  lease_expires_at text,
  done integer,
  total integer,
  last_error text,
  created_at text not null,
  started_at text,
  finished_at text
);
create index jobs_due on jobs (run_at, id) where state = 'waiting';
create index jobs_leased on jobs (lease_expires_at) where state = 'running';
create unique index jobs_running_key on jobs (key) where state = 'running';
create index jobs_by_key on jobs (key, id);
create index jobs_finished on jobs (finished_at) where finished_at is not null;
create index jobs_by_state on jobs (state, id);
create table hooks (
  id integer primary key autoincrement,
  project_id integer not null references projects(id) on delete cascade,
  url text not null,
  name text,
  description text,
  token text,
  has_vulnerability_events boolean not null default false,
  verifies_certificates boolean not null default true,
  failures integer not null default 0,
  disabled_until text,
  disabled_at text,
  created_at text not null,
  updated_at text not null
);
create index hooks_project on hooks (project_id, id);
create table hook_events (
  id integer primary key autoincrement,
  hook_id integer not null references hooks(id) on delete cascade,
  uuid text not null,
  payload json not null,
  is_waiting boolean not null default true,
  attempts integer not null default 0,
  created_at text not null
);
create index hook_events_waiting on hook_events (hook_id, id) where is_waiting = true;
create index hook_events_hook on hook_events (hook_id, id);
create index hook_events_age on hook_events (created_at);
create table hook_deliveries (
  id integer primary key autoincrement,
  hook_id integer not null references hooks(id) on delete cascade,
  event_id integer not null references hook_events(id) on delete cascade,
  url text not null,
  request_headers json not null,
  response_status integer,
  response_headers json not null,
  response_body text not null,
  error text,
  duration_ms integer not null,
  created_at text not null
);
create index hook_deliveries_newest on hook_deliveries (hook_id, id desc);
create index hook_deliveries_event on hook_deliveries (event_id);
create table vulnerability_exports (
  id integer primary key autoincrement,
  author_id integer not null references users(id) on delete cascade,
  project_id integer references projects(id) on delete cascade,
  namespace_id integer references namespaces(id) on delete cascade,
  format text not null check (format in ('csv', 'json', 'sarif')),
  filters json not null,
  sends_email boolean not null default false,
  status text not null default 'created' check (status in ('created', 'running', 'finished', 'failed')),
  filename text,
  object_key text unique,
  bytes integer,
  created_at text not null,
  started_at text,
  finished_at text,
  expires_at text
);
create index vulnerability_exports_author on vulnerability_exports (author_id, id);
create index vulnerability_exports_project on vulnerability_exports (project_id);
create index vulnerability_exports_namespace on vulnerability_exports (namespace_id);
create index vulnerability_exports_expiry on vulnerability_exports (expires_at) where expires_at is not null;
create unique index imports_object on imports (object_key) where object_key is not null;
create index findings_import on findings (import_id);
create table finding_keys (
  finding_id integer not null references findings(id) on delete cascade,
  rank integer not null,
  project_id integer not null references projects(id) on delete cascade,
  key text not null,
  primary key (finding_id, rank)
);
create index finding_keys_key on finding_keys (project_id, key, finding_id);
create table finding_matches (
  id integer primary key autoincrement,
  project_id integer not null references projects(id) on delete cascade,
  finding_id integer not null references findings(id) on delete cascade,
  import_id integer references imports(id) on delete set null,
  uuid text not null,
  reason text not null,
  ref text not null,
  old_location json not null,
  new_location json not null,
  created_at text not null,
  unique (project_id, uuid)
);
create index finding_matches_finding on finding_matches (finding_id, id);
create index finding_matches_import on finding_matches (import_id);
create table staged_findings (
  import_id integer not null references imports(id) on delete cascade,
  uuid text not null,
  draft json not null,
  primary key (import_id, uuid)
);
create table scans (
  import_id integer not null references imports(id) on delete cascade,
  scanner_id integer not null references scanners(id) on delete cascade,
  report_type text not null,
  ref text not null,
  is_complete boolean not null,
  seen_at text not null,
  category_id integer references report_categories(id) on delete cascade,
  primary key (import_id, scanner_id, report_type)
);
create index namespaces_by_visibility on namespaces (kind, visibility, id);
create virtual table namespaces_search using fts5 (name, path, full_path, content='namespaces', content_rowid='id', tokenize='trigram');
create trigger namespaces_search_insert after insert on namespaces begin insert into namespaces_search (rowid, name, path, full_path) values (new.id, new.name, new.path, new.full_path); end;
create trigger namespaces_search_delete after delete on namespaces begin insert into namespaces_search (namespaces_search, rowid, name, path, full_path) values ('delete', old.id, old.name, old.path, old.full_path); end;
create trigger namespaces_search_update after update of name, path, full_path on namespaces begin insert into namespaces_search (namespaces_search, rowid, name, path, full_path) values ('delete', old.id, old.name, old.path, old.full_path); insert into namespaces_search (rowid, name, path, full_path) values (new.id, new.name, new.path, new.full_path); end;
create virtual table users_search using fts5 (name, username, content='users', content_rowid='id', tokenize='trigram');
create trigger users_search_insert after insert on users begin insert into users_search (rowid, name, username) values (new.id, new.name, new.username); end;
create trigger users_search_delete after delete on users begin insert into users_search (users_search, rowid, name, username) values ('delete', old.id, old.name, old.username); end;
create trigger users_search_update after update of name, username on users begin insert into users_search (users_search, rowid, name, username) values ('delete', old.id, old.name, old.username); insert into users_search (rowid, name, username) values (new.id, new.name, new.username); end;
create table token_addresses (
  token_id integer not null references access_tokens(id) on delete cascade,
  address text not null,
  last_used_at text not null,
  primary key (token_id, address)
);
create index projects_organization on projects (organization_id, visibility, id);
create index namespaces_organization on namespaces (organization_id, kind, visibility, id);
create index sessions_token on sessions (token_id);
create index findings_scanner on findings (scanner_id, report_type, id);
create index upload_usage_by_size on upload_usage (bytes desc, project_id, namespace_id) where files > 0;
create index findings_waiting on findings (project_id, id) where vulnerability_id is null;
create index findings_by_name on findings (project_id, substr(name, 1, 255));
create index findings_by_place on findings (project_id, substr(place, 1, 500));
create index findings_narrow on findings (id, vulnerability_id, scanner_id, report_type);
create table staged_promotions (
  import_id integer not null references imports(id) on delete cascade,
  position integer not null,
  finding_ids json not null,
  primary key (import_id, position)
);
create table promoted_findings (
  finding_id integer primary key references findings(id) on delete cascade,
  vulnerability_id integer not null,
  facets integer not null,
  scanner_id integer not null
);
create table finding_promotions (
  id integer primary key autoincrement,
  project_id integer not null references projects(id) on delete cascade,
  user_id integer references users(id) on delete set null,
  state text not null,
  total integer not null,
  promoted integer not null,
  unchanged integer not null,
  created_at text not null,
  finished_at text
);
create index finding_promotions_project on finding_promotions (project_id);
create index finding_promotions_user on finding_promotions (user_id);
create index finding_promotions_finished on finding_promotions (finished_at);
create table finding_promotion_slices (
  promotion_id integer not null references finding_promotions(id) on delete cascade,
  position integer not null,
  finding_ids json not null,
  primary key (promotion_id, position)
);
create table report_categories (
  id integer primary key autoincrement,
  project_id integer not null references projects(id) on delete cascade,
  name text not null,
  unique (project_id, name)
);
create index scans_category on scans (category_id);
create index scans_newest_of_category on scans (scanner_id, report_type, ref, coalesce(category_id, 0), import_id);
insert into schema_migrations (name, applied_at) values
  ('0001_foundation', '2026-11-20T08:00:00.000Z'),
  ('0002_upload_life', '2026-11-20T08:00:00.000Z'),
  ('0003_moved_paths', '2026-11-20T08:00:00.000Z'),
  ('0004_topic_order', '2026-11-20T08:00:00.000Z'),
  ('0005_accounts_and_limits', '2026-11-20T08:00:00.000Z'),
  ('0006_vulnerability_lists', '2026-11-20T08:00:00.000Z'),
  ('0007_vulnerability_life', '2026-11-20T08:00:00.000Z'),
  ('0008_jobs_hooks_exports', '2026-11-20T08:00:00.000Z'),
  ('0009_imports', '2026-11-20T08:00:00.000Z'),
  ('0016_account_search', '2026-11-20T08:00:00.000Z'),
  ('0020_narrow_search', '2026-11-20T08:00:00.000Z'),
  ('0021_bans_and_addresses', '2026-11-20T08:00:00.000Z'),
  ('0022_lists_of_organizations', '2026-11-20T08:00:00.000Z'),
  ('0023_sessions_of_tokens', '2026-11-20T08:00:00.000Z'),
  ('0024_findings_of_scanners', '2026-11-20T08:00:00.000Z'),
  ('0025_usage_by_size', '2026-11-20T08:00:00.000Z'),
  ('0026_members_that_change', '2026-11-20T08:00:00.000Z'),
  ('0027_waiting_findings', '2026-11-20T08:00:00.000Z'),
  ('0028_narrow_candidates', '2026-11-20T08:00:00.000Z'),
  ('0029_promotion_of_imports', '2026-11-20T08:00:00.000Z'),
  ('0030_promoted_findings', '2026-11-20T08:00:00.000Z'),
  ('0031_bulk_promotions', '2026-11-20T08:00:00.000Z'),
  ('0032_report_categories', '2026-11-20T08:00:00.000Z'),
  ('0033_scans_of_category', '2026-11-20T08:00:00.000Z');
insert into organizations (id, name, path, description, is_public, created_at, updated_at, created_by_id) values
  (1, 'Default', 'default', '', true, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', null);
