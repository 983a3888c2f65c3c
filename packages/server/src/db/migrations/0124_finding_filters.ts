import type { Migration } from '../migrate.ts'

/** Indexes of the filters `image` and `hasRemediations` (`domain/vulnerabilities/list/filter-sql/finding-filter-sql.ts`). */
export const findingFilters: Migration = {
  name: '0124_finding_filters',
  up(engine) {
    return `
create index findings_by_image on findings (project_id, substr(location ->> 'image', 1, 500)${engine === 'sqlite' ? '' : ', id'})
  where location ->> 'image' is not null;
create index findings_with_remediation on findings (project_id, id) where extras -> 'remediations' -> 0 is not null;
`
  },
}
