import type { Dialect } from '../db.ts'
import type { Migration } from '../migrate.ts'
import { addToSearch, removeFromSearch } from './initial/search.ts'

/**
 * Excludes uploads of projects from the indexes for groups, and uploads that are not deleted from the index of those who
 * deleted one, because an insert writes a page of every index that contains the row.
 */
export const uploadIndexes: Migration = {
  name: '0165_upload_indexes',
  up: (engine) => `
${dropConstraint[engine]}
drop index if exists group_uploads_newest;
drop index if exists uploads_deleter;
create unique index group_uploads_address on uploads (namespace_id, secret, filename) where namespace_id is not null;
create index group_uploads_newest on uploads (namespace_id, created_at desc, id desc)
  where namespace_id is not null and deleted_at is null;
create index uploads_deleter on uploads (deleted_by_id) where deleted_by_id is not null;
`,
}

const columns = `id, project_id, namespace_id, uploaded_by_id, is_from_outsider, secret, filename, content_type, bytes,
  sha256, object_key, created_at, deleted_at, deleted_by_id, reference_ended_at, scan_state, scan_signature, scanned_at`

/** Tables whose rows are deleted with their upload. */
const children = ['upload_links', 'upload_references', 'resumable_uploads']

/**
 * SQLite can drop a constraint only with its table. Dropping the table also deletes the rows that refer to an upload, so
 * these are copied first and inserted again afterwards. Unfinished resumable uploads refer to none, and stay with their parts;
 * finished ones have no parts. Triggers do not fire, so the search index does not change.
 */
const recreateTable = `
${children
  .map(
    (table) => `create temp table kept_${table} as
  select * from main.${table} where upload_id is not null;`,
  )
  .join('\n')}
create table new_uploads (
  id integer primary key autoincrement,
  project_id integer references projects(id) on delete cascade,
  namespace_id integer references namespaces(id) on delete cascade,
  uploaded_by_id integer references users(id) on delete set null,
  is_from_outsider boolean not null default false, -- counts against the share of non-members
  secret text not null, -- part of the file's URL
  filename text not null,
  content_type text not null default 'application/octet-stream',
  bytes integer not null,
  sha256 text not null,
  object_key text not null unique,
  created_at text not null,
  deleted_at text, -- can be restored until the row is deleted
  deleted_by_id integer references users(id) on delete set null,
  reference_ended_at text,
  scan_state text not null default 'not_scanned'
    check (scan_state in ('not_scanned', 'pending', 'clean', 'infected', 'released')),
  scan_signature text,
  scanned_at text,
  check ((project_id is null) <> (namespace_id is null)),
  unique (project_id, secret, filename)
);
insert into sqlite_sequence (name, seq) select 'new_uploads', seq from sqlite_sequence where name = 'uploads';
insert into new_uploads (${columns}) select ${columns} from uploads order by id;
drop table uploads;
alter table new_uploads rename to uploads;
${children.map((table) => `insert into main.${table} select * from kept_${table}; drop table kept_${table};`).join('\n')}
create index uploads_newest on uploads (project_id, created_at desc, id desc) where deleted_at is null;
create index uploads_by_name on uploads (project_id, filename, id) where deleted_at is null;
create index uploads_by_size on uploads (project_id, bytes, id) where deleted_at is null;
create index uploads_from_outsiders on uploads (project_id, bytes) where is_from_outsider = true and deleted_at is null;
create index uploads_uploader on uploads (uploaded_by_id);
create index uploads_deleted on uploads (deleted_at, id) where deleted_at is not null;
create index uploads_infected on uploads (scanned_at, id) where scan_state = 'infected';
create index uploads_pending on uploads (id) where scan_state = 'pending';
create trigger uploads_search_insert after insert on uploads begin ${addToSearch('uploads', ['filename'])} end;
create trigger uploads_search_delete after delete on uploads begin ${removeFromSearch('uploads', ['filename'])} end;
create trigger uploads_search_update after update of filename on uploads
  begin ${removeFromSearch('uploads', ['filename'])} ${addToSearch('uploads', ['filename'])} end;
`

const dropConstraint: Record<Dialect['engine'], string> = {
  sqlite: recreateTable,
  postgres: 'alter table uploads drop constraint uploads_namespace_id_secret_filename_key;',
}
