import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** Keys in the public addresses of badges. */
export const projectBadges: Migration = {
  name: '0087_project_badges',
  up(engine) {
    const { integer, time } = columnTypes(engine)
    return `
create table project_badges (
  project_id ${integer} primary key references projects(id) on delete cascade,
  badge_key text not null unique,
  created_at ${time} not null
);
`
  },
}
