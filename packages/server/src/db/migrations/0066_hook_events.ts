import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Webhooks of the instance, which have neither id of an owner; more events, filters, and secrets in headers and URLs. */
export const hookEvents: Migration = {
  name: '0066_hook_events',
  up(engine) {
    const { boolean, json } = columnTypes(engine)
    return `
alter table hooks add column has_import_events ${boolean} not null default false;
alter table hooks add column has_upload_events ${boolean} not null default false;
alter table hooks add column has_topic_events ${boolean} not null default false;
alter table hooks add column has_member_events ${boolean} not null default false;
alter table hooks add column has_token_events ${boolean} not null default false; -- created, rotated, revoked; not expiring
alter table hooks add column states ${json}; -- filters: null is no filter
alter table hooks add column refs ${json};
alter table hooks add column project_ids ${json};
alter table hooks add column custom_headers ${json} not null default '{}'; -- values by name
alter table hooks add column url_variables ${json} not null default '{}'; -- values by name
-- Serves the webhooks of a group, and those of the instance.
drop index hooks_namespace;
create index hooks_namespace on hooks (namespace_id, project_id, id);
`
  },
}
