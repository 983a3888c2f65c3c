import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** What is known about the exploitation of vulnerabilities, and the priority that follows from it. */
export const priority: Migration = {
  name: '0081_priority',
  up(engine) {
    const { integer, boolean, time } = columnTypes(engine)
    return `
alter table projects add column exposure text not null default 'unknown'
  check (exposure in ('internet', 'internal', 'none', 'unknown'));
-- The exposure that the vulnerabilities of the project have.
alter table projects add column applied_exposure text not null default 'unknown';
create index projects_with_new_exposure on projects (id) where exposure <> applied_exposure;

alter table vulnerabilities add column cvss_tenths ${integer};
alter table vulnerabilities add column epss_millionths ${integer};
alter table vulnerabilities add column epss_percentile_millionths ${integer};
alter table vulnerabilities add column is_kev ${boolean} not null default false;
alter table vulnerabilities add column exposure_points ${integer} not null default 5;
alter table vulnerabilities add column age_points ${integer} not null default 0;
-- False until the columns before have been set for the first time.
alter table vulnerabilities add column is_scored ${boolean} not null default false;
-- The sum of the parts that decision 101 lists, 0 to 100.
alter table vulnerabilities add column priority ${integer} generated always as (
  case severity when 7 then 40 when 6 then 30 when 5 then 20 when 4 then 10 when 2 then 15 else 0 end
  + (coalesce(cvss_tenths, 0) + 5) / 10
  + case when epss_millionths >= 500000 then 15 when epss_millionths >= 100000 then 10
      when epss_millionths >= 10000 then 5 when epss_millionths >= 1000 then 2 else 0 end
  + case when is_kev = true then 15 else 0 end
  + case when fix_available_at is not null then 5 else 0 end
  + exposure_points + age_points
) ${engine === 'sqlite' ? 'virtual' : 'stored'};
-- For each combination of facets, a range in the order of the priority.
create index vulnerabilities_by_priority on vulnerabilities (project_id, is_on_default_branch, severity, state,
  report_type, scanner_id, is_resolved_on_default_branch, coalesce(dismissal_reason, ''), priority, id);
create index vulnerabilities_unscored on vulnerabilities (id) where is_scored = false;
create index vulnerabilities_by_age on vulnerabilities (age_points, created_at) where age_points < 5;
create index vulnerabilities_kev on vulnerabilities (project_id, id) where is_kev = true;
create index vulnerabilities_by_epss on vulnerabilities (project_id, epss_millionths, id)
  where epss_millionths is not null;
create index vulnerabilities_with_fix on vulnerabilities (project_id, id) where fix_available_at is not null;

-- Progress of applying the feeds to all vulnerabilities, in one row.
create table feed_application (
  id ${integer} primary key check (id = 1),
  generations text not null, -- of the feeds that are applied
  after_id ${integer}, -- null when all vulnerabilities have them
  running_until ${time}
);
insert into feed_application (id, generations) values (1, '0 0 0');
`
  },
}
