import type { ColumnTypes } from '../column-types.ts'
import { searchIndexes } from './search.ts'

/** Users, organizations, access tokens, sessions and rate limits. Secrets are stored as SHA-256 digests only. */
export const accounts = ({ engine, id, integer, boolean, time, json }: ColumnTypes) => `
create table users (
  id ${id},
  username text not null,
  username_key text not null unique, -- lower case
  email text not null,
  email_key text not null unique, -- lower case
  name text not null,
  password_hash text,
  state text not null default 'active' check (state in ('active', 'blocked', 'unconfirmed')),
  is_deactivated ${boolean} not null default false,
  is_banned ${boolean} not null default false, -- also has the state blocked
  is_ghost ${boolean} not null default false, -- replaces deleted users; exists only after a user was deleted
  is_admin ${boolean} not null default false,
  is_external ${boolean} not null default false,
  can_create_group ${boolean} not null default true,
  projects_limit ${integer} not null default 100000,
  note text,
  created_by_id ${integer} references users(id) on delete set null,
  created_at ${time} not null,
  updated_at ${time} not null
);
create index users_created_by on users (created_by_id);
create unique index users_ghost on users (is_ghost) where is_ghost = true;
-- One index for each order of the list.
create index users_by_name on users (name, id);
create index users_by_creation on users (created_at, id);
create index users_by_update on users (updated_at, id);
${searchIndexes(engine, 'users', ['name', 'username'])}

create table organizations (
  id ${id},
  name text not null,
  path text not null unique,
  description text not null default '',
  is_public ${boolean} not null default true,
  created_by_id ${integer} references users(id) on delete set null,
  created_at ${time} not null,
  updated_at ${time} not null
);
create index organizations_created_by on organizations (created_by_id);
insert into organizations (name, path, created_at, updated_at)
values ('Default', 'default', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z');

create table access_tokens (
  id ${id},
  user_id ${integer} not null references users(id) on delete cascade,
  family_id ${integer} references access_tokens(id) on delete set null, -- first token of a chain of rotations, null for itself
  kind text not null check (kind in ('personal', 'impersonation')),
  name text not null,
  description text,
  digest text not null unique,
  scopes ${json} not null,
  is_revoked ${boolean} not null default false,
  expires_on text, -- YYYY-MM-DD; invalid from that day on
  created_at ${time} not null
);
create index access_tokens_user on access_tokens (user_id, id);
create index access_tokens_family on access_tokens (family_id);

-- Separate tables for uses, so that their writes do not invalidate cached tokens and sessions.
create table token_uses (
  token_id ${integer} primary key references access_tokens(id) on delete cascade,
  last_used_at ${time} not null
);

create table token_addresses (
  token_id ${integer} not null references access_tokens(id) on delete cascade,
  address text not null,
  last_used_at ${time} not null,
  primary key (token_id, address)
);

create table sessions (
  id ${id},
  user_id ${integer} not null references users(id) on delete cascade,
  token_id ${integer} references access_tokens(id) on delete cascade, -- signed in with it; has its rights, ends with it
  digest text not null unique, -- of the cookie's secret
  address text,
  user_agent text,
  admin_until ${time}, -- end of admin mode
  authenticated_at ${time}, -- time at which password or token was last entered; null for the sign-in
  expires_at ${time} not null,
  created_at ${time} not null
);
create index sessions_user on sessions (user_id);
create index sessions_token on sessions (token_id);
create index sessions_expiry on sessions (expires_at);

create table session_uses (
  session_id ${integer} primary key references sessions(id) on delete cascade,
  last_used_at ${time} not null
);

-- Browsers that a user has signed in from.
create table known_browsers (
  digest text not null, -- of the browser's cookie
  user_id ${integer} not null references users(id) on delete cascade,
  last_used_at ${time} not null,
  primary key (digest, user_id)
);
create index known_browsers_user on known_browsers (user_id, last_used_at);
create index known_browsers_last_used on known_browsers (last_used_at);

create table password_links (
  id ${id},
  user_id ${integer} not null references users(id) on delete cascade,
  digest text not null unique, -- of the link's secret
  expires_at ${time} not null,
  created_at ${time} not null
);
create index password_links_user on password_links (user_id);

-- Request counts per rate limit and subject. They need not survive a crash.
create ${engine === 'postgres' ? 'unlogged ' : ''}table request_counts (
  name text not null,
  subject text not null,
  requests ${integer} not null,
  ends_at ${time} not null,
  primary key (name, subject)
);
create index request_counts_ended on request_counts (ends_at);

-- Requests with an Idempotency-Key, stored for a day.
create table idempotency_keys (
  id ${id},
  user_id ${integer} not null references users(id) on delete cascade,
  key_hash text not null, -- the key itself is not stored
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
