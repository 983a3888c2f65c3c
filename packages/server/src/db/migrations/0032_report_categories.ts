import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Categories of reports. Several reports of one scanner for one ref each cover only their own category. */
export const reportCategories: Migration = {
  name: '0032_report_categories',
  up(engine) {
    const { id, integer } = columnTypes(engine)
    return `
create table report_categories (
  id ${id},
  project_id ${integer} not null references projects(id) on delete cascade,
  name text not null,
  unique (project_id, name)
);
alter table imports add column category text; -- name, because the category may not exist before the import is visible
alter table scans add column category_id ${integer} references report_categories(id) on delete cascade;
create index scans_category on scans (category_id);
-- Ids of the categories whose newest reports contain the finding, as ',3,7,'; empty for reports without a category.
alter table occurrences add column categories text not null default '';
`
  },
}
