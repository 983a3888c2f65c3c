import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Bans of users, and the addresses that tokens were used from. */
export const bansAndAddresses: Migration = {
  name: '0021_bans_and_addresses',
  up(engine) {
    const { integer, boolean, time } = columnTypes(engine)
    return `
-- Banned users also have the state blocked.
alter table users add column is_banned ${boolean} not null default false;

-- A separate table, so that writes do not invalidate cached tokens (like token_uses).
create table token_addresses (
  token_id ${integer} not null references access_tokens(id) on delete cascade,
  address text not null,
  last_used_at ${time} not null,
  primary key (token_id, address)
);
`
  },
}
