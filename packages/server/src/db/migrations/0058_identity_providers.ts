import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Sign-in with identity providers: identities of users, sign-ins under way, and the method of each session. */
export const identityProviders: Migration = {
  name: '0058_identity_providers',
  up(engine) {
    const { id, integer, time } = columnTypes(engine)
    return `
create table oidc_identities (
  id ${id},
  user_id ${integer} not null references users(id) on delete cascade,
  provider text not null, -- its name in the settings at the last sign-in
  issuer text not null,
  subject text not null, -- the claim sub
  created_at ${time} not null,
  last_sign_in_at ${time} not null,
  unique (issuer, subject)
);
create index oidc_identities_user on oidc_identities (user_id);

alter table sessions add column method text not null default 'password'; -- password, token, provider, link
update sessions set method = 'token' where token_id is not null;
alter table sessions add column identity_id ${integer} references oidc_identities(id) on delete cascade;
alter table sessions add column sid text; -- the provider's id of the session, for back-channel logout
alter table sessions add column id_token text; -- sent back to the provider at sign-out
create index sessions_identity on sessions (identity_id, sid);

-- Sign-ins between the redirect to the provider and the way back. Each row is used once.
create table oidc_flows (
  digest text primary key, -- of the parameter state
  provider text not null,
  browser text not null, -- digest of the cookie of the browser that began
  return_to text not null, -- path to open afterwards
  session_id ${integer} references sessions(id) on delete cascade, -- reauthenticates this session instead
  created_at ${time} not null,
  expires_at ${time} not null
);
create index oidc_flows_session on oidc_flows (session_id);
create index oidc_flows_expiry on oidc_flows (expires_at);
`
  },
}
