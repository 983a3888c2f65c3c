import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Links with which a file can be downloaded without signing in. Only the hash of their token is stored. */
export const uploadLinks: Migration = {
  name: '0115_upload_links',
  up(engine) {
    const { id, integer, time } = columnTypes(engine)
    return `
create table upload_links (
  id ${id},
  upload_id ${integer} not null references uploads(id) on delete cascade,
  created_by_id ${integer} references users(id) on delete set null,
  token_hash text not null unique,
  name text not null,
  created_at ${time} not null,
  expires_at ${time} not null,
  uses ${integer} not null default 0,
  last_used_at ${time}
);
create index upload_links_upload on upload_links (upload_id, id);
create index upload_links_created_by on upload_links (created_by_id);
create index upload_links_expires on upload_links (expires_at);
`
  },
}
