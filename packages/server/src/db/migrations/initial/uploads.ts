import type { ColumnTypes } from '../column-types.ts'

/** Uploads of projects and groups, their storage usage, and objects that wait for deletion. */
export const uploads = ({ id, integer, boolean, time }: ColumnTypes) => `
create table uploads (
  id ${id},
  project_id ${integer} references projects(id) on delete cascade,
  namespace_id ${integer} references namespaces(id) on delete cascade,
  uploaded_by_id ${integer} references users(id) on delete set null,
  is_from_outsider ${boolean} not null default false, -- counts against the share of non-members
  secret text not null, -- part of the file's URL
  filename text not null,
  content_type text not null default 'application/octet-stream',
  bytes ${integer} not null,
  sha256 text not null,
  object_key text not null unique,
  created_at ${time} not null,
  deleted_at ${time}, -- can be restored until the row is deleted
  deleted_by_id ${integer} references users(id) on delete set null,
  check ((project_id is null) <> (namespace_id is null)),
  unique (project_id, secret, filename),
  unique (namespace_id, secret, filename)
);
create index uploads_newest on uploads (project_id, created_at desc, id desc) where deleted_at is null;
create index uploads_by_name on uploads (project_id, filename, id) where deleted_at is null;
create index uploads_by_size on uploads (project_id, bytes, id) where deleted_at is null;
create index group_uploads_newest on uploads (namespace_id, created_at desc, id desc) where deleted_at is null;
create index uploads_from_outsiders on uploads (project_id, bytes) where is_from_outsider = true and deleted_at is null;
create index uploads_uploader on uploads (uploaded_by_id);
create index uploads_deleter on uploads (deleted_by_id);
create index uploads_deleted on uploads (deleted_at, id) where deleted_at is not null;

-- Storage usage per project or group, updated in the transaction that adds or deletes a file.
create table upload_usage (
  project_id ${integer} unique references projects(id) on delete cascade,
  namespace_id ${integer} unique references namespaces(id) on delete cascade,
  files ${integer} not null,
  bytes ${integer} not null,
  check ((project_id is null) <> (namespace_id is null))
);
create index upload_usage_by_size on upload_usage (bytes desc, project_id, namespace_id) where files > 0;

-- Objects to delete, written in the transaction that deletes their rows, so that a crash cannot lose them.
create table pending_deletions (
  id ${id},
  object_key text not null unique,
  marked_at ${time} not null
);
create index pending_deletions_by_time on pending_deletions (marked_at, id);
`
