import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Attributes that administrators define, and deploy tokens, which are stored without an effect. */
export const customAttributes: Migration = {
  name: '0114_custom_attributes',
  up(engine) {
    const { id, integer, time, json, boolean } = columnTypes(engine)
    return `
create table custom_attributes (
  id ${id},
  project_id ${integer} references projects(id) on delete cascade,
  namespace_id ${integer} references namespaces(id) on delete cascade,
  user_id ${integer} references users(id) on delete cascade,
  key text not null,
  value text not null,
  created_at ${time} not null,
  updated_at ${time} not null,
  unique (project_id, key),
  unique (namespace_id, key),
  unique (user_id, key),
  check ((project_id is not null and namespace_id is null and user_id is null)
    or (project_id is null and namespace_id is not null and user_id is null)
    or (project_id is null and namespace_id is null and user_id is not null))
);
create index custom_attributes_value on custom_attributes (key, value);

create table deploy_tokens (
  id ${id},
  project_id ${integer} references projects(id) on delete cascade,
  namespace_id ${integer} references namespaces(id) on delete cascade,
  name text not null,
  username text, -- null: derived from the id
  scopes ${json} not null,
  token_digest text not null unique,
  is_revoked ${boolean} not null default false,
  expires_at ${time},
  created_at ${time} not null,
  check ((project_id is null) <> (namespace_id is null))
);
create index deploy_tokens_project on deploy_tokens (project_id, id) where project_id is not null;
create index deploy_tokens_namespace on deploy_tokens (namespace_id, id) where namespace_id is not null;
`
  },
}
