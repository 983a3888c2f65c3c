import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Rules that require a second person for dismissals, and the requests that await one. */
export const dismissalApproval: Migration = {
  name: '0082_dismissal_approval',
  up(engine) {
    const { id, integer, boolean, time, bytewise } = columnTypes(engine)
    return `
-- A project or group has one rule at most.
create table dismissal_approval_rules (
  id ${id},
  project_id ${integer} unique references projects(id) on delete cascade,
  namespace_id ${integer} unique references namespaces(id) on delete cascade,
  severity ${integer} not null, -- the lowest severity whose dismissals need approval
  expires_in_days ${integer} not null,
  created_at ${time} not null,
  updated_at ${time} not null,
  check ((project_id is null) <> (namespace_id is null))
);

create table dismissal_requests (
  id ${id},
  project_id ${integer} not null references projects(id) on delete cascade,
  vulnerability_id ${integer} not null references vulnerabilities(id) on delete cascade,
  requested_by_id ${integer} references users(id) on delete set null,
  from_state text not null,
  dismissal_reason text,
  comment text,
  states_until ${boolean} not null, -- true: the request states dismissed_until, also null
  dismissed_until ${bytewise},
  dismissed_until_fixed ${boolean}, -- null: the request does not state it
  state text not null check (state in ('pending', 'approved', 'rejected', 'withdrawn', 'expired')),
  created_at ${time} not null,
  expires_at ${time} not null,
  decided_at ${time},
  decided_by_id ${integer} references users(id) on delete set null,
  decision_comment text
);
create unique index dismissal_requests_pending on dismissal_requests (vulnerability_id) where state = 'pending';
create index dismissal_requests_vulnerability on dismissal_requests (vulnerability_id);
create index dismissal_requests_project on dismissal_requests (project_id, state, id);
create index dismissal_requests_requested_by on dismissal_requests (requested_by_id);
create index dismissal_requests_decided_by on dismissal_requests (decided_by_id);
create index dismissal_requests_expiring on dismissal_requests (expires_at, id) where state = 'pending';

-- Request that awaits approval. Without a foreign key, because both tables would refer to each other.
alter table vulnerabilities add column dismissal_request_id ${integer};
alter table vulnerability_bulk_changes add column requested ${integer} not null default 0;
`
  },
}
