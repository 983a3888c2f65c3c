import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Second factors of users: one-time codes of an app, passkeys and recovery codes, and the challenges between two steps. */
export const secondFactors: Migration = {
  name: '0062_second_factors',
  up(engine) {
    const { id, integer, boolean, time } = columnTypes(engine)
    return `
-- True while the user has a row in totp_secrets or passkeys.
alter table users add column has_second_factor ${boolean} not null default false;

create table totp_secrets (
  user_id ${integer} primary key references users(id) on delete cascade,
  secret text not null, -- in base 32
  last_step ${integer} not null, -- time step of the last accepted code, so that each is accepted once
  created_at ${time} not null
);

create table passkeys (
  id ${id},
  user_id ${integer} not null references users(id) on delete cascade,
  name text not null,
  credential_id text not null unique, -- in base64url, as the public key
  public_key text not null,
  sign_count ${integer} not null, -- signature counter of the authenticator; always 0 if it has none
  transports text not null, -- separated by commas
  created_at ${time} not null,
  last_used_at ${time}
);
create index passkeys_user on passkeys (user_id);

-- A code is deleted when it is used.
create table recovery_codes (
  user_id ${integer} not null references users(id) on delete cascade,
  digest text not null,
  primary key (user_id, digest)
);

-- Steps of a sign-in or a set-up that the next request completes. Each row is used once.
create table sign_in_challenges (
  digest text primary key,
  kind text not null, -- second_factor, passkey, new_passkey, new_totp
  user_id ${integer} references users(id) on delete cascade, -- null for a sign-in with a passkey
  method text, -- of the kind second_factor: password or link, the factor that was right
  totp_secret text, -- of the kind new_totp
  attempts ${integer} not null default 0,
  expires_at ${time} not null
);
create index sign_in_challenges_user on sign_in_challenges (user_id);
create index sign_in_challenges_expiry on sign_in_challenges (expires_at);
`
  },
}
