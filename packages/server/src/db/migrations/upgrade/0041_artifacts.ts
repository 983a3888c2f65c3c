import type { Migration } from '../../migrate.ts'

/**
 * Artifact of a report without a category. A scan that keeps findings of another artifact is incomplete; the index
 * finds the newest complete scan directly.
 */
export const artifacts: Migration = {
  name: '0041_artifacts',
  up() {
    return `
alter table imports add column artifact text; -- image without tag and digest; null if unknown

drop index scans_newest_of_category;
create index scans_newest_of_category
  on scans (scanner_id, report_type, ref, coalesce(category_id, 0), is_complete, import_id);
`
  },
}
