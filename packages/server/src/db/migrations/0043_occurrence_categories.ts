import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Replaces the list of category ids in a text column of occurrences by a table. */
export const occurrenceCategories: Migration = {
  name: '0043_occurrence_categories',
  up(engine) {
    const { integer } = columnTypes(engine)
    return `
-- Categories whose newest reports contain the finding on the ref; none for reports without a category.
create table occurrence_categories (
  occurrence_id ${integer} not null references occurrences(id) on delete cascade,
  category_id ${integer} not null references report_categories(id) on delete cascade,
  primary key (occurrence_id, category_id)
);
insert into occurrence_categories (occurrence_id, category_id)
  select o.id, r.id from occurrences o cross join ${listedIds[engine]} join report_categories r on r.id = listed.value
  where o.categories <> '';
create index occurrence_categories_category on occurrence_categories (category_id);
alter table occurrences drop column categories;
`
  },
}

const listedIds = {
  sqlite: `json_each('[' || trim(o.categories, ',') || ']') as listed`,
  postgres: `lateral unnest(cast(string_to_array(trim(o.categories, ','), ',') as bigint[])) as listed(value)`,
}
