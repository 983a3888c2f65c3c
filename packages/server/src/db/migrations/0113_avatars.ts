import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Avatars of projects, groups and users. Their names are also stored with the owners, whose responses contain them. */
export const avatars: Migration = {
  name: '0113_avatars',
  up(engine) {
    const { id, integer, time } = columnTypes(engine)
    return `
create table avatars (
  id ${id},
  project_id ${integer} unique references projects(id) on delete cascade,
  namespace_id ${integer} unique references namespaces(id) on delete cascade,
  user_id ${integer} unique references users(id) on delete cascade,
  object_key text not null unique,
  filename text not null,
  content_type text not null,
  bytes ${integer} not null,
  sha256 text,
  created_at ${time} not null,
  check ((project_id is not null and namespace_id is null and user_id is null)
    or (project_id is null and namespace_id is not null and user_id is null)
    or (project_id is null and namespace_id is null and user_id is not null))
);
alter table projects add column avatar_filename text;
alter table namespaces add column avatar_filename text;
alter table users add column avatar_filename text;
`
  },
}
