import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Due dates of vulnerabilities, and the policies of the instance, groups and projects that set them. */
export const dueDates: Migration = {
  name: '0075_due_dates',
  up(engine) {
    const { id, integer, boolean, time, json, bytewise } = columnTypes(engine)
    return `
-- A group or project has one policy at most, and so has the instance.
create table due_date_policies (
  id ${id},
  level text not null check (level in ('instance', 'group', 'project')),
  project_id ${integer} unique references projects(id) on delete cascade,
  namespace_id ${integer} unique references namespaces(id) on delete cascade,
  counted_from text not null check (counted_from in ('detection', 'fix')),
  days ${json} not null, -- by severity
  created_at ${time} not null,
  updated_at ${time} not null,
  check ((project_id is not null) = (level = 'project') and (namespace_id is not null) = (level = 'group'))
);
create unique index due_date_policies_instance on due_date_policies (level) where level = 'instance';

alter table vulnerabilities add column due_on ${bytewise}; -- YYYY-MM-DD
alter table vulnerabilities add column is_due_on_overridden ${boolean} not null default false; -- by a user
alter table vulnerabilities add column fix_available_at ${time};
-- Times before this migration are not known.
update vulnerabilities set fix_available_at = created_at, version = version + 1
where exists (
  select 1 from findings f where f.vulnerability_id = vulnerabilities.id and coalesce(f.solution, '') <> ''
    and substr(f.solution, 1, 35) <> 'Unfortunately, there is no solution'
    and substr(f.solution, 1, 20) <> 'No solution provided');

-- For each combination of facets, a range in the order of due dates, those without one last.
create index vulnerabilities_by_due_date on vulnerabilities (project_id, is_on_default_branch, severity, state, report_type,
  scanner_id, is_resolved_on_default_branch, coalesce(dismissal_reason, ''), coalesce(due_on, '9999-12-31'), id);
create index vulnerabilities_due on vulnerabilities (project_id, due_on, is_on_default_branch, state, severity)
  where due_on is not null;

alter table notification_settings add column due_dates ${boolean} not null default false;
create index notification_settings_due_dates on notification_settings (user_id) where due_dates = true;
`
  },
}
