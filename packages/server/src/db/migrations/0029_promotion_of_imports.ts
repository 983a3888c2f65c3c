import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/**
 * Progress of promoting an import's findings, which happens in batches after the import is visible and continues after
 * a crash.
 */
export const promotionOfImports: Migration = {
  name: '0029_promotion_of_imports',
  up(engine) {
    const { integer, time, json } = columnTypes(engine)
    return `
alter table imports add column shown_at ${time}; -- time from which lists include its findings; null for older imports
create table staged_promotions (
  import_id ${integer} not null references imports(id) on delete cascade,
  position ${integer} not null,
  finding_ids ${json} not null, -- one batch, promoted in one transaction
  primary key (import_id, position)
);
`
  },
}
