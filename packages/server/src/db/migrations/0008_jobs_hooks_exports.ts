import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Job queue, webhooks with their events and deliveries, and exports of vulnerabilities. */
export const jobsHooksExports: Migration = {
  name: '0008_jobs_hooks_exports',
  up(engine) {
    const { id, integer, boolean, time, json } = columnTypes(engine)
    return `
create table jobs (
  id ${id},
  kind text not null,
  key text, -- jobs with the same key run one at a time, in the order they were queued
  payload ${json} not null,
  state text not null default 'waiting' check (state in ('waiting', 'running', 'finished', 'failed')),
  attempts ${integer} not null default 0,
  run_at ${time} not null, -- earliest start
  lease text, -- token of the process that runs the job until the lease expires
  lease_expires_at ${time},
  done ${integer},
  total ${integer},
  last_error text,
  created_at ${time} not null,
  started_at ${time},
  finished_at ${time}
);
create index jobs_due on jobs (run_at, id) where state = 'waiting';
create index jobs_leased on jobs (lease_expires_at) where state = 'running';
create unique index jobs_running_key on jobs (key) where state = 'running';
create index jobs_by_key on jobs (key, id);
create index jobs_finished on jobs (finished_at) where finished_at is not null;
create index jobs_by_state on jobs (state, id);

create table hooks (
  id ${id},
  project_id ${integer} not null references projects(id) on delete cascade,
  url text not null,
  name text,
  description text,
  token text, -- sent with every delivery, so it cannot be a digest
  has_vulnerability_events ${boolean} not null default false,
  verifies_certificates ${boolean} not null default true,
  failures ${integer} not null default 0, -- consecutive failed deliveries
  disabled_until ${time},
  disabled_at ${time}, -- until a test succeeds
  created_at ${time} not null,
  updated_at ${time} not null
);
create index hooks_project on hooks (project_id, id);

-- Events of a hook, written in the transaction that makes the change.
create table hook_events (
  id ${id},
  hook_id ${integer} not null references hooks(id) on delete cascade,
  uuid text not null, -- constant for all attempts
  payload ${json} not null,
  is_waiting ${boolean} not null default true,
  attempts ${integer} not null default 0,
  created_at ${time} not null
);
create index hook_events_waiting on hook_events (hook_id, id) where is_waiting = true;
create index hook_events_hook on hook_events (hook_id, id);
create index hook_events_age on hook_events (created_at);

-- Attempts to deliver an event.
create table hook_deliveries (
  id ${id},
  hook_id ${integer} not null references hooks(id) on delete cascade,
  event_id ${integer} not null references hook_events(id) on delete cascade,
  url text not null,
  request_headers ${json} not null,
  response_status ${integer}, -- null without a response
  response_headers ${json} not null,
  response_body text not null,
  error text,
  duration_ms ${integer} not null,
  created_at ${time} not null
);
create index hook_deliveries_newest on hook_deliveries (hook_id, id desc);
create index hook_deliveries_event on hook_deliveries (event_id);

create table vulnerability_exports (
  id ${id},
  author_id ${integer} not null references users(id) on delete cascade,
  project_id ${integer} references projects(id) on delete cascade,
  namespace_id ${integer} references namespaces(id) on delete cascade, -- without both ids: every project of the author
  format text not null check (format in ('csv', 'json', 'sarif')),
  filters ${json} not null,
  sends_email ${boolean} not null default false,
  status text not null default 'created' check (status in ('created', 'running', 'finished', 'failed')),
  filename text,
  object_key text unique,
  bytes ${integer},
  created_at ${time} not null,
  started_at ${time},
  finished_at ${time},
  expires_at ${time}
);
create index vulnerability_exports_author on vulnerability_exports (author_id, id);
create index vulnerability_exports_project on vulnerability_exports (project_id);
create index vulnerability_exports_namespace on vulnerability_exports (namespace_id);
create index vulnerability_exports_expiry on vulnerability_exports (expires_at) where expires_at is not null;
`
  },
}
