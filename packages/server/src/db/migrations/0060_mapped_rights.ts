import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Rights that the mapping of an identity provider has given, so that only those are removed again. */
export const mappedRights: Migration = {
  name: '0060_mapped_rights',
  up(engine) {
    const { integer, boolean, json } = columnTypes(engine)
    return `
alter table oidc_identities add column gave_admin ${boolean} not null default false;
alter table oidc_identities add column claims ${json}; -- of the last sign-in
alter table oidc_identities add column outcome ${json}; -- what the mapping made of them

create table oidc_memberships (
  identity_id ${integer} not null references oidc_identities(id) on delete cascade,
  namespace_id ${integer} not null references namespaces(id) on delete cascade,
  access_level ${integer} not null, -- as given; a membership with another one was changed by hand
  primary key (identity_id, namespace_id)
);
create index oidc_memberships_namespace on oidc_memberships (namespace_id);
`
  },
}
