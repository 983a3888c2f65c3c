import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** The day on which a dismissal ends, and whether it ends when a fix becomes available. */
export const dismissalEnds: Migration = {
  name: '0076_dismissal_ends',
  up(engine) {
    const { boolean, bytewise } = columnTypes(engine)
    return `
alter table vulnerabilities add column dismissed_until ${bytewise}; -- YYYY-MM-DD in UTC
alter table vulnerabilities add column is_dismissed_until_fixed ${boolean} not null default false;
create index vulnerabilities_dismissed_until on vulnerabilities (dismissed_until, id) where dismissed_until is not null;
create index vulnerabilities_dismissal_ends on vulnerabilities (project_id, id)
  where dismissed_until is not null or is_dismissed_until_fixed = true;
create index vulnerabilities_dismissed_until_fixed on vulnerabilities (id) where is_dismissed_until_fixed = true;
`
  },
}
