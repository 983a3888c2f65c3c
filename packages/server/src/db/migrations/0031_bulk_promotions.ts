import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Bulk promotions of findings, which run in batches and continue after a crash. */
export const bulkPromotions: Migration = {
  name: '0031_bulk_promotions',
  up(engine) {
    const { id, integer, time, json } = columnTypes(engine)
    return `
create table finding_promotions (
  id ${id},
  project_id ${integer} not null references projects(id) on delete cascade,
  user_id ${integer} references users(id) on delete set null,
  state text not null, -- running, done, failed
  total ${integer} not null,
  promoted ${integer} not null,
  unchanged ${integer} not null, -- already were vulnerabilities
  created_at ${time} not null,
  finished_at ${time}
);
create index finding_promotions_project on finding_promotions (project_id);
create index finding_promotions_user on finding_promotions (user_id);
create index finding_promotions_finished on finding_promotions (finished_at);
create table finding_promotion_slices (
  promotion_id ${integer} not null references finding_promotions(id) on delete cascade,
  position ${integer} not null,
  finding_ids ${json} not null, -- one batch, promoted in one transaction
  primary key (promotion_id, position)
);
`
  },
}
