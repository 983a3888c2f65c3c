import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** When a user last marked their notifications as read, and an index for their failed imports. */
export const notificationReads: Migration = {
  name: '0132_notification_reads',
  up(engine) {
    const { integer, time } = columnTypes(engine)
    return `
create table notification_reads (
  user_id ${integer} primary key references users(id) on delete cascade,
  read_at ${time} not null
);
create index imports_failed_of_user on imports (user_id, finished_at) where state = 'failed';
`
  },
}
