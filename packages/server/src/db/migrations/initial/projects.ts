import type { ColumnTypes } from '../column-types.ts'
import { searchIndexes } from './search.ts'

/** Groups and users' own namespaces, projects, members and stars. */
export const projects = ({ engine, id, integer, boolean, time, json, bytewise }: ColumnTypes) => `
create table namespaces (
  id ${id},
  organization_id ${integer} not null references organizations(id),
  kind text not null check (kind in ('user', 'group')),
  name ${bytewise} not null,
  path ${bytewise} not null,
  full_path text not null,
  full_path_key text not null unique, -- lower case
  full_name text not null,
  description text not null default '',
  visibility text not null check (visibility in ('private', 'internal', 'public')),
  parent_id ${integer} references namespaces(id) on delete cascade,
  owner_id ${integer} references users(id) on delete cascade, -- set for a user's own namespace
  lineage ${bytewise} not null default '', -- ids from the root to the parent, each followed by a slash
  gitlab_attributes ${json}, -- stored and returned, without effect
  created_at ${time} not null,
  updated_at ${time} not null
);
create index namespaces_parent on namespaces (parent_id, id);
create index namespaces_owner on namespaces (owner_id);
create index namespaces_lineage on namespaces (lineage);
-- Covers counting an organization's groups by visibility.
create index namespaces_organization on namespaces (organization_id, kind, visibility, id);
-- One index for each order and filter of the list.
create index namespaces_by_kind on namespaces (kind, id);
create index namespaces_by_name on namespaces (kind, name, id);
create index namespaces_by_path on namespaces (kind, path, id);
create index namespaces_by_visibility on namespaces (kind, visibility, id);
${searchIndexes(engine, 'namespaces', ['name', 'path', 'full_path'])}

create table projects (
  id ${id},
  organization_id ${integer} not null references organizations(id),
  namespace_id ${integer} not null references namespaces(id) on delete cascade,
  creator_id ${integer} references users(id) on delete set null,
  name ${bytewise} not null,
  path ${bytewise} not null,
  full_path text not null,
  full_path_key text not null unique, -- lower case
  description text,
  visibility text not null check (visibility in ('private', 'internal', 'public')),
  default_branch text not null default 'main',
  is_archived ${boolean} not null default false,
  star_count ${integer} not null default 0,
  enforce_auth_checks_on_uploads ${boolean} not null default true,
  max_upload_bytes ${integer}, -- null: the limit of the server
  upload_quota_bytes ${integer}, -- null: the quota of the server
  promote_on_ingestion ${boolean} not null default false,
  auto_resolve ${boolean} not null default false,
  gitlab_attributes ${json}, -- stored and returned, without effect
  created_at ${time} not null,
  updated_at ${time} not null,
  last_activity_at ${time} not null,
  unique (namespace_id, name)
);
create index projects_namespace on projects (namespace_id, id);
create index projects_creator on projects (creator_id);
create index projects_visibility on projects (visibility, id);
-- Covers counting an organization's projects by visibility.
create index projects_organization on projects (organization_id, visibility, id);
-- One index for each order of the list.
create index projects_by_name on projects (name, id);
create index projects_by_path on projects (path, id);
create index projects_by_update on projects (updated_at, id);
create index projects_by_activity on projects (last_activity_at, id);
create index projects_by_stars on projects (star_count, id);
${searchIndexes(engine, 'projects', ['name', 'path', 'description', 'full_path'])}

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
  access_level ${integer} not null, -- GitLab's number of the role
  expires_on text, -- YYYY-MM-DD; no member from that day on
  created_by_id ${integer} references users(id) on delete set null,
  created_at ${time} not null,
  updated_at ${time}, -- null if it never changed
  check ((namespace_id is null) <> (project_id is null)),
  unique (namespace_id, user_id),
  unique (project_id, user_id)
);
create index members_user on members (user_id);
create index members_created_by on members (created_by_id);
create index members_expiry on members (expires_on, id) where expires_on is not null;

-- Former paths of projects and groups, which redirect to the current path.
create table moved_paths (
  path_key ${bytewise} primary key, -- full path in lower case, currently unused
  project_id ${integer} references projects(id) on delete cascade,
  namespace_id ${integer} references namespaces(id) on delete cascade,
  created_at ${time} not null,
  check ((project_id is null) <> (namespace_id is null))
);
create index moved_paths_project on moved_paths (project_id) where project_id is not null;
create index moved_paths_namespace on moved_paths (namespace_id) where namespace_id is not null;
`
