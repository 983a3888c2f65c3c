import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** An import that is shown may still have findings to promote: some at a time, after a kill too. */
export const promotionOfImports: Migration = {
  name: '0029_promotion_of_imports',
  up(engine) {
    const { integer, time, json } = columnTypes(engine)
    return `
alter table imports add column shown_at ${time}; -- from then on lists have what it found; null of those from before
create table staged_promotions (
  import_id ${integer} not null references imports(id) on delete cascade,
  position ${integer} not null,
  finding_ids ${json} not null, -- as many as one transaction promotes
  primary key (import_id, position)
);
`
  },
}
