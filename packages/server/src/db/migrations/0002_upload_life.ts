import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Uploads of groups, deletion with a grace period, upload limits and usage, and browser sessions. */
export const uploadLife: Migration = {
  name: '0002_upload_life',
  up(engine) {
    const { id, integer, time } = columnTypes(engine)
    return `
${engine === 'sqlite' ? rebuildUploads(columnTypes(engine)) : alterUploads}
create index uploads_newest on uploads (project_id, created_at desc, id desc) where deleted_at is null;
create index uploads_by_name on uploads (project_id, filename, id) where deleted_at is null;
create index uploads_by_size on uploads (project_id, bytes, id) where deleted_at is null;
create index group_uploads_newest on uploads (namespace_id, created_at desc, id desc) where deleted_at is null;
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
insert into upload_usage (project_id, files, bytes)
select project_id, count(*), sum(bytes) from uploads where project_id is not null group by project_id;

alter table projects add column max_upload_bytes ${integer};
alter table projects add column upload_quota_bytes ${integer};

-- Pending deletions of objects, written in the transaction that deletes their rows, so that a crash cannot lose them.
create table doomed_objects (
  id ${id},
  object_key text not null unique,
  doomed_at ${time} not null
);

create table sessions (
  id ${id},
  user_id ${integer} not null references users(id) on delete cascade,
  digest text not null unique, -- SHA-256 of the cookie's secret
  expires_at ${time} not null,
  created_at ${time} not null
);
create index sessions_user on sessions (user_id);
create index sessions_expiry on sessions (expires_at);
`
  },
}

/** Rebuilds the table, because SQLite cannot remove `not null` from a column. No other table refers to uploads. */
function rebuildUploads({ id, integer, time }: ReturnType<typeof columnTypes>): string {
  return `
create table new_uploads (
  id ${id},
  project_id ${integer} references projects(id) on delete cascade,
  namespace_id ${integer} references namespaces(id) on delete cascade,
  uploaded_by_id ${integer} references users(id) on delete set null,
  secret text not null,
  filename text not null,
  content_type text not null default 'application/octet-stream',
  bytes ${integer} not null,
  sha256 text not null,
  object_key text not null unique,
  created_at ${time} not null,
  deleted_at ${time},
  deleted_by_id ${integer} references users(id) on delete set null,
  check ((project_id is null) <> (namespace_id is null)),
  unique (project_id, secret, filename),
  unique (namespace_id, secret, filename)
);
insert into new_uploads (id, project_id, uploaded_by_id, secret, filename, bytes, sha256, object_key, created_at)
select id, project_id, uploaded_by_id, secret, filename, bytes, sha256, object_key, created_at from uploads;
-- Ids are never reused.
delete from sqlite_sequence where name = 'new_uploads';
insert into sqlite_sequence (name, seq)
select 'new_uploads', coalesce((select seq from sqlite_sequence where name = 'uploads'), 0);
drop table uploads;
alter table new_uploads rename to uploads;
`
}

const alterUploads = `
drop index uploads_newest;
drop index uploads_uploader;
alter table uploads alter column project_id drop not null;
alter table uploads add column namespace_id bigint references namespaces(id) on delete cascade;
alter table uploads add column content_type text not null default 'application/octet-stream';
alter table uploads add column deleted_at timestamptz(3);
alter table uploads add column deleted_by_id bigint references users(id) on delete set null;
alter table uploads add check ((project_id is null) <> (namespace_id is null));
alter table uploads add unique (namespace_id, secret, filename);
`
