import type { Migration } from '../migrate.ts'

/**
 * What has a text comes in the order of ids, so that it can be read a stretch at a time; and what lists are filtered by
 * is found by a finding's id without its row, which is wide. SQLite's indexes have the id in any case.
 */
export const narrowCandidates: Migration = {
  name: '0028_narrow_candidates',
  up: (engine) => {
    const id = engine === 'sqlite' ? '' : ', id'
    return `
drop index findings_by_name;
drop index findings_by_place;
create index findings_by_name on findings (project_id, substr(name, 1, 255)${id});
create index findings_by_place on findings (project_id, substr(place, 1, 500)${id});
create index findings_narrow on findings (id, vulnerability_id, scanner_id, report_type);
`
  },
}
