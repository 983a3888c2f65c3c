import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Uploads that arrive in parts, and the parts that are stored so far. */
export const resumableUploads: Migration = {
  name: '0117_resumable_uploads',
  up(engine) {
    const { id, integer, time } = columnTypes(engine)
    return `
create table resumable_uploads (
  id ${id},
  project_id ${integer} references projects(id) on delete cascade,
  namespace_id ${integer} references namespaces(id) on delete cascade,
  user_id ${integer} not null references users(id) on delete cascade,
  upload_key text not null unique,
  filename text not null,
  total_bytes ${integer} not null,
  received_bytes ${integer} not null default 0,
  created_at ${time} not null,
  expires_at ${time} not null,
  upload_id ${integer} references uploads(id) on delete cascade
);
create index resumable_uploads_project on resumable_uploads (project_id);
create index resumable_uploads_namespace on resumable_uploads (namespace_id);
create index resumable_uploads_user on resumable_uploads (user_id);
create index resumable_uploads_upload on resumable_uploads (upload_id);
create index resumable_uploads_expires on resumable_uploads (expires_at);
create table resumable_parts (
  id ${id},
  resumable_id ${integer} not null references resumable_uploads(id) on delete cascade,
  start_byte ${integer} not null,
  bytes ${integer} not null,
  sha256 text not null,
  object_key text not null,
  unique (resumable_id, start_byte)
);
create index resumable_parts_object_key on resumable_parts (object_key);
`
  },
}
