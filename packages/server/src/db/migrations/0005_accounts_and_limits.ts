import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Deactivated accounts, token families, session details, password links and request counts. */
export const accountsAndLimits: Migration = {
  name: '0005_accounts_and_limits',
  up(engine) {
    const { id, integer, boolean, time } = columnTypes(engine)
    return `
alter table users add column is_deactivated ${boolean} not null default false;

-- First token of a chain of rotations; null for that token itself.
alter table access_tokens add column family_id ${integer} references access_tokens(id) on delete set null;
create index access_tokens_family on access_tokens (family_id);

alter table organizations add column created_by_id ${integer} references users(id) on delete set null;
create index organizations_created_by on organizations (created_by_id);

alter table sessions add column address text;
alter table sessions add column user_agent text;
alter table sessions add column admin_until ${time};

-- A separate table, so that writes do not invalidate cached sessions.
create table session_uses (
  session_id ${integer} primary key references sessions(id) on delete cascade,
  last_used_at ${time} not null
);

create table password_links (
  id ${id},
  user_id ${integer} not null references users(id) on delete cascade,
  digest text not null unique, -- SHA-256 of the link's secret
  expires_at ${time} not null,
  created_at ${time} not null
);
create index password_links_user on password_links (user_id);

-- Request counts per limit and subject. They need not survive a crash.
create ${engine === 'postgres' ? 'unlogged ' : ''}table request_counts (
  name text not null,
  subject text not null,
  requests ${integer} not null,
  ends_at ${time} not null,
  primary key (name, subject)
);
create index request_counts_ended on request_counts (ends_at);
`
  },
}
