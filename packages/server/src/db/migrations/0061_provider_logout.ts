import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Logout by identity providers, and links that sign administrators in without a provider. */
export const providerLogout: Migration = {
  name: '0061_provider_logout',
  up(engine) {
    const { integer, time } = columnTypes(engine)
    return `
-- Logout tokens that were used, so that each counts once.
create table oidc_logout_tokens (
  digest text primary key, -- of issuer and jti
  expires_at ${time} not null -- when the token is too old anyway
);
create index oidc_logout_tokens_expiry on oidc_logout_tokens (expires_at);
create index sessions_sid on sessions (sid);

-- Links of the command alcove admin sign-in-link.
create table sign_in_links (
  digest text primary key, -- of the secret in the link
  user_id ${integer} not null references users(id) on delete cascade,
  created_at ${time} not null,
  expires_at ${time} not null
);
create index sign_in_links_user on sign_in_links (user_id);
create index sign_in_links_expiry on sign_in_links (expires_at);
`
  },
}
