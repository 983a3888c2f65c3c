import type { Migration } from '../../migrate.ts'
import { columnTypes } from '../column-types.ts'

/** Requests with an `Idempotency-Key`, stored for a day. The key itself is not stored. */
export const idempotencyKeys: Migration = {
  name: '0037_idempotency_keys',
  up(engine) {
    const { id, integer, boolean, time } = columnTypes(engine)
    return `
create table idempotency_keys (
  id ${id},
  user_id ${integer} not null references users(id) on delete cascade,
  key_hash text not null,
  fingerprint text not null, -- HMAC of the request, keyed with the idempotency key
  is_admin ${boolean} not null, -- whether the caller acted as an administrator
  attempt text not null, -- only the newest attempt may change anything
  lease_until ${time} not null, -- the attempt counts as ended after this time
  is_applied ${boolean} not null, -- set by the transactions of the request themselves
  response text, -- encrypted with the key; null until it exists, or if it is too large
  created_at ${time} not null
);
create unique index idempotency_keys_of_user on idempotency_keys (user_id, key_hash);
create index idempotency_keys_by_age on idempotency_keys (created_at);
`
  },
}
