import type { Migration } from '../migrate.ts'

/**
 * Indexes that cover the search for texts, because rows of findings are wide and reading thousands of them takes
 * seconds.
 */
export const narrowSearch: Migration = {
  name: '0020_narrow_search',
  up: () => `
drop index findings_by_name;
drop index findings_by_place;
create index findings_by_name on findings (project_id, substr(name, 1, 255), vulnerability_id);
create index findings_by_place on findings (project_id, substr(place, 1, 500), vulnerability_id);
`,
}
