import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** The secret by which an issue tracker authenticates its events. */
export const trackerEvents: Migration = {
  name: '0073_tracker_events',
  up(engine) {
    const { time } = columnTypes(engine)
    return `
alter table issue_trackers add column events_secret text;
alter table issue_trackers add column event_at ${time};
`
  },
}
