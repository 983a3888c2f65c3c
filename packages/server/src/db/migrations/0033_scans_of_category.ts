import type { Migration } from '../migrate.ts'

/** The newest scan of each category is found in one step, however many there are of other ones. 0: without a category. */
export const scansOfCategory: Migration = {
  name: '0033_scans_of_category',
  up() {
    return `
drop index scans_newest;
create index scans_newest_of_category on scans (scanner_id, report_type, ref, coalesce(category_id, 0), import_id);
`
  },
}
