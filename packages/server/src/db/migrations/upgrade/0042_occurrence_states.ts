import type { Migration } from '../../migrate.ts'

/**
 * State of a finding's vulnerability, stored beside its severity, so that one index returns every list of findings by
 * state in order. A finding without a vulnerability counts as detected.
 */
export const occurrenceStates: Migration = {
  name: '0042_occurrence_states',
  up() {
    return `
alter table occurrences add column state text not null default 'detected';
update occurrences set state = v.state
  from findings f join vulnerabilities v on v.id = f.vulnerability_id
  where f.id = occurrences.finding_id and v.state <> 'detected';
drop index occurrences_worst;
create index occurrences_worst on occurrences (project_id, ref, is_present, state, severity desc, finding_id);
`
  },
}
