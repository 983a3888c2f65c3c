import type { Migration } from '../../migrate.ts'
import { columnTypes } from '../column-types.ts'

/** Stages of waiting jobs, so that the next job to run is found without examining jobs that must wait. */
export const fairJobs: Migration = {
  name: '0036_fair_jobs',
  up(engine) {
    const { integer, time } = columnTypes(engine)
    return `
alter table jobs add column lane text; -- defaults to the kind
alter table jobs add column owner text; -- owners take turns
-- Stage of a waiting job: new (not placed yet), behind another job of its key, delayed until run_at, queued behind others
-- of its owner, or ready to run. Each index for claims contains a single stage, so that the planner cannot choose a
-- wrong one.
alter table jobs add column stage text not null default 'new'
  check (stage in ('new', 'behind', 'delayed', 'queued', 'ready', 'running', 'over'));
alter table jobs add column ticket ${integer}; -- order in which jobs of one owner are queued
alter table jobs add column turn ${integer}; -- order in which ready jobs of a lane run
alter table jobs add column scheduled_at ${time}; -- time at which run_at was set
alter table jobs add column interruptions ${integer} not null default 0; -- runs that ended with their process
alter table jobs add column outages ${integer} not null default 0; -- consecutive runs that met an unavailable dependency

update jobs set stage = case state when 'running' then 'running' else 'over' end where state <> 'waiting';
drop index jobs_due;
drop index jobs_leased;
drop index jobs_running_key;
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

-- Lock of the queue: the transaction that holds this row may place, claim and end jobs.
create table job_dispatch (
  id ${integer} primary key check (id = 1),
  ticket ${integer} not null
);
insert into job_dispatch (id, ticket) values (1, 0);

alter table imports add column interruptions ${integer} not null default 0;
create index imports_open_project on imports (project_id, file_bytes) where state in ('waiting', 'running');
create index imports_open_user on imports (user_id, file_bytes) where state in ('waiting', 'running');
create index imports_failed_file on imports (finished_at, id) where state = 'failed' and object_key is not null;

alter table hooks add column slow_until ${time}; -- deliveries run in the slow lane until this time
`
  },
}
