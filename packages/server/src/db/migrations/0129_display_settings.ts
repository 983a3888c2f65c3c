import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** How the UI shows dates, lists and keys to a user. Users without a row have the defaults. */
export const displaySettings: Migration = {
  name: '0129_display_settings',
  up(engine) {
    const { integer, boolean, time } = columnTypes(engine)
    return `
create table display_settings (
  user_id ${integer} primary key references users(id) on delete cascade,
  time_zone text, -- null: that of the browser
  date_format text not null check (date_format in ('browser', 'iso', 'day_month', 'month_day')),
  density text not null check (density in ('comfortable', 'compact')),
  page_keys ${boolean} not null,
  updated_at ${time} not null
);
`
  },
}
