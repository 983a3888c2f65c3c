import type { Migration } from '../migrate.ts'

/** Index for finding the newest scan of each category directly. Category 0 stands for reports without one. */
export const scansOfCategory: Migration = {
  name: '0033_scans_of_category',
  up() {
    return `
drop index scans_newest;
create index scans_newest_of_category on scans (scanner_id, report_type, ref, coalesce(category_id, 0), import_id);
`
  },
}
