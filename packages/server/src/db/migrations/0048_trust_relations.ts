import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Trust in tokens of other issuers, such as those of pipelines. Project or group and role are those of the bot. */
export const trustRelations: Migration = {
  name: '0048_trust_relations',
  up(engine) {
    const { id, integer, time, json } = columnTypes(engine)
    return `
create table trust_relations (
  id ${id},
  user_id ${integer} not null unique references users(id) on delete cascade, -- the bot that the tokens authenticate
  name text not null,
  issuer text not null,
  audience text not null,
  claims ${json} not null, -- patterns by claim; all of them must match
  default_branch_claims ${json} not null, -- patterns that must also match to report for the default branch
  scopes ${json} not null,
  jwks_url text, -- null: by the issuer's discovery document
  jwks ${json}, -- keys instead of an address
  created_at ${time} not null,
  updated_at ${time} not null,
  check (jwks_url is null or jwks is null)
);
create index trust_relations_issuer on trust_relations (issuer);

-- Apart, so that its writes do not invalidate cached relations.
create table trust_relation_uses (
  relation_id ${integer} primary key references trust_relations(id) on delete cascade,
  last_used_at ${time} not null
);
`
  },
}
