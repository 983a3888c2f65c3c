import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Reports of projects and groups that their subscribers receive by e-mail. */
export const reportSchedules: Migration = {
  name: '0097_report_schedules',
  up(engine) {
    const { id, integer, boolean, time } = columnTypes(engine)
    return `
create table report_schedules (
  id ${id},
  project_id ${integer} references projects(id) on delete cascade,
  namespace_id ${integer} references namespaces(id) on delete cascade,
  user_id ${integer} not null references users(id) on delete cascade, -- receives the reports
  as_admin ${boolean} not null, -- whether the request had administrator rights
  period text not null check (period in ('weekly', 'monthly')),
  day ${integer} not null, -- 1 (Monday) to 7, or 1 to 31; shorter months have their last day instead
  hour ${integer} not null,
  time_zone text not null,
  next_at ${time} not null, -- moved to the next period in the transaction that queues the report
  reported_at ${time}, -- time of the data of the last report that was sent
  created_at ${time} not null,
  updated_at ${time} not null,
  check ((project_id is null) <> (namespace_id is null))
);
create index report_schedules_project on report_schedules (project_id, user_id) where project_id is not null;
create index report_schedules_namespace on report_schedules (namespace_id, user_id) where namespace_id is not null;
create index report_schedules_user on report_schedules (user_id);
create index report_schedules_next on report_schedules (next_at, id);

alter table vulnerability_exports add column schedule_id ${integer} references report_schedules(id) on delete set null;
create index vulnerability_exports_schedule on vulnerability_exports (schedule_id) where schedule_id is not null;
`
  },
}
