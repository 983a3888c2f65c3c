import type { Migration } from '../migrate.ts'

/**
 * Indexes that return findings with a text in id order, so that they can be read in ranges, and that cover the filters
 * of lists by a finding's id without reading its wide row. SQLite's indexes always include the id.
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
