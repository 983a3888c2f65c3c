import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Invitations to projects and groups by e-mail, and sign-ins from browsers that the user had not used before. */
export const invitations: Migration = {
  name: '0064_invitations',
  up(engine) {
    const { id, integer, boolean, time } = columnTypes(engine)
    return `
create table invitations (
  id ${id},
  project_id ${integer} references projects(id) on delete cascade, -- either this or namespace_id
  namespace_id ${integer} references namespaces(id) on delete cascade,
  email text not null,
  email_key text not null, -- in lower case
  access_level ${integer} not null,
  expires_on text, -- of the membership, YYYY-MM-DD
  digest text not null unique, -- of the link's secret
  link_expires_at ${time} not null,
  invited_by_id ${integer} not null references users(id) on delete cascade, -- created the current link
  as_admin ${boolean} not null, -- whether that request had administrator rights
  is_link_shown ${boolean} not null, -- to a user without administrator rights; it then does not prove the address
  created_at ${time} not null,
  check ((project_id is null) <> (namespace_id is null)),
  unique (project_id, email_key),
  unique (namespace_id, email_key)
);
create index invitations_inviter on invitations (invited_by_id);
create index invitations_expiry on invitations (link_expires_at);

create table new_sign_ins (
  id ${id},
  user_id ${integer} not null references users(id) on delete cascade,
  session_id ${integer} references sessions(id) on delete set null,
  address text,
  user_agent text,
  is_seen ${boolean} not null, -- whether the user has dismissed the notice
  created_at ${time} not null
);
create index new_sign_ins_user on new_sign_ins (user_id, id);
create index new_sign_ins_session on new_sign_ins (session_id);
`
  },
}
