import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Users of projects and groups instead of persons, and the notices of tokens that expire soon. */
export const bots: Migration = {
  name: '0047_bots',
  up(engine) {
    const { integer, boolean, time } = columnTypes(engine)
    return `
alter table users add column is_bot ${boolean} not null default false; -- has a row in bots; cannot sign in
create table bots (
  user_id ${integer} primary key references users(id) on delete cascade,
  project_id ${integer} references projects(id) on delete cascade,
  namespace_id ${integer} references namespaces(id) on delete cascade,
  created_at ${time} not null,
  check ((project_id is null) <> (namespace_id is null))
);
create index bots_project on bots (project_id);
create index bots_namespace on bots (namespace_id);

-- Notices of expiry that were sent, so that each is sent once.
create table token_expiry_notices (
  token_id ${integer} not null references access_tokens(id) on delete cascade,
  days ${integer} not null,
  sent_at ${time} not null,
  primary key (token_id, days)
);
create index access_tokens_expiry on access_tokens (expires_on) where is_revoked = false;
alter table hooks add column has_access_token_events ${boolean} not null default false;
`
  },
}
