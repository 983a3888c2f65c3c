import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Saved views as filters of webhooks, and as the lists that users open first. */
export const viewUses: Migration = {
  name: '0096_view_uses',
  up(engine) {
    const { id, integer, json } = columnTypes(engine)
    return `
-- The filter as the server applies it; null until the view filters a webhook or when it depends on its reader.
alter table saved_views add column conditions ${json};

create table default_views (
  id ${id},
  view_id ${integer} not null references saved_views(id) on delete cascade,
  user_id ${integer} not null references users(id) on delete cascade,
  unique (user_id, view_id)
);
create index default_views_view on default_views (view_id);

-- Without an action on deletion, because a webhook that lost its view would receive more events.
alter table hooks add column saved_view_id ${integer} references saved_views(id);
create index hooks_saved_view on hooks (saved_view_id) where saved_view_id is not null;
`
  },
}
