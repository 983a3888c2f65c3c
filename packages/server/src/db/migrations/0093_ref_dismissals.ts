import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'
import { rowTrigger } from './row-trigger.ts'

/** Dismissals of vulnerabilities on a single ref. The state of the occurrence on that ref is then `dismissed`. */
export const refDismissals: Migration = {
  name: '0093_ref_dismissals',
  up(engine) {
    const { integer, boolean, json, bytewise } = columnTypes(engine)
    const drop =
      engine === 'sqlite'
        ? 'drop trigger vulnerabilities_occurrences;'
        : 'drop trigger vulnerabilities_occurrences on vulnerabilities; drop function vulnerabilities_occurrences();'
    return `
alter table vulnerabilities add column ref_dismissals ${json} not null default '[]';
-- The dismissals of that column, for filters, for the state of occurrences, and to find those that end.
create table ref_dismissals (
  vulnerability_id ${integer} not null references vulnerabilities(id) on delete cascade,
  ref text not null,
  project_id ${integer} not null references projects(id) on delete cascade,
  reason text,
  until ${bytewise}, -- YYYY-MM-DD in UTC
  is_until_fixed ${boolean} not null,
  primary key (vulnerability_id, ref)
);
create index ref_dismissals_project on ref_dismissals (project_id, ref, vulnerability_id);
create index ref_dismissals_until on ref_dismissals (until, vulnerability_id) where until is not null;
create index ref_dismissals_until_fixed on ref_dismissals (vulnerability_id) where is_until_fixed = true;
${drop}
${rowTrigger(engine, {
  name: 'vulnerabilities_occurrences',
  table: 'vulnerabilities',
  columns: ['state', 'severity', 'is_severity_overridden'],
  // A severity of the scanner is copied with its finding.
  when: `old.state <> new.state or old.is_severity_overridden <> new.is_severity_overridden
  or new.is_severity_overridden = true and old.severity <> new.severity`,
  body: `update occurrences set state = case when new.state in ('detected', 'confirmed') and exists (
      select 1 from ref_dismissals d where d.vulnerability_id = new.id and d.ref = occurrences.ref)
      then 'dismissed' else new.state end,
    severity = case when new.is_severity_overridden = true
    then new.severity else (select f.severity from findings f where f.vulnerability_id = new.id) end
  where finding_id = (select f.id from findings f where f.vulnerability_id = new.id);`,
})}
`
  },
}
