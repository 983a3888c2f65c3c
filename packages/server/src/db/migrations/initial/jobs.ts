import type { ColumnTypes } from '../column-types.ts'

/** Job queue, webhooks with their events and deliveries, and exports of vulnerabilities. */
export const jobs = ({ id, integer, boolean, time, json }: ColumnTypes) => `
create table jobs (
  id ${id},
  kind text not null,
  key text, -- jobs with the same key run one at a time, in the order they were queued
  lane text, -- has its own capacity; defaults to the kind
  owner text, -- owners take turns
  payload ${json} not null,
  state text not null default 'waiting' check (state in ('waiting', 'running', 'finished', 'failed')),
  -- Stage of a waiting job: new (not placed yet), behind another job of its key, delayed until run_at, queued behind
  -- others of its owner, or ready to run. Each index for claims contains a single stage, so that the planner cannot
  -- choose a wrong one.
  stage text not null default 'new'
    check (stage in ('new', 'behind', 'delayed', 'queued', 'ready', 'running', 'over')),
  ticket ${integer}, -- order in which jobs of one owner are queued
  turn ${integer}, -- order in which ready jobs of a lane run
  attempts ${integer} not null default 0,
  interruptions ${integer} not null default 0, -- runs that ended with their process
  outages ${integer} not null default 0, -- consecutive runs that met an unavailable dependency
  run_at ${time} not null, -- earliest start
  scheduled_at ${time}, -- time at which run_at was set
  lease text, -- token of the process that runs the job until the lease expires
  lease_expires_at ${time},
  done ${integer},
  total ${integer},
  last_error text,
  created_at ${time} not null,
  started_at ${time},
  finished_at ${time}
);
create unique index jobs_running_key on jobs (key) where stage = 'running';
create index jobs_new on jobs (id) where stage = 'new';
create index jobs_delayed on jobs (run_at, id) where stage = 'delayed';
create index jobs_delayed_since on jobs (scheduled_at, id) where stage = 'delayed';
create index jobs_queued on jobs (lane, owner, ticket, id) where stage = 'queued';
create index jobs_ready on jobs (lane, turn, id) where stage = 'ready';
create index jobs_ready_owner on jobs (lane, owner, turn) where stage = 'ready';
create index jobs_running_owner on jobs (lane, owner, turn) where stage = 'running';
create index jobs_running_lease on jobs (lease) where stage = 'running';
create index jobs_head_of_key on jobs (key) where stage in ('delayed', 'queued', 'ready');
create index jobs_waiting_key on jobs (key, id) where stage in ('new', 'behind', 'delayed', 'queued', 'ready');
create index jobs_waiting_kind on jobs (kind, run_at) where state = 'waiting';
create index jobs_open on jobs (kind, state) where state in ('waiting', 'running', 'failed');
create index jobs_by_key on jobs (key, id);
create index jobs_by_state on jobs (state, id);
create index jobs_finished on jobs (finished_at) where finished_at is not null;

-- Lock of the queue: the transaction that holds this row may place, claim and end jobs.
create table job_dispatch (
  id ${integer} primary key check (id = 1),
  ticket ${integer} not null
);
insert into job_dispatch (id, ticket) values (1, 0);

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
  slow_until ${time}, -- deliveries run in the slow lane until this time
  gitlab_attributes ${json}, -- stored and returned, without effect
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
  as_admin ${boolean} not null default false, -- whether the request had administrator rights
  project_id ${integer} references projects(id) on delete cascade,
  namespace_id ${integer} references namespaces(id) on delete cascade, -- without both ids: every project of the author
  exported_project_ids ${json}, -- null until the file is written
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
