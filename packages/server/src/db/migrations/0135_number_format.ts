import type { Migration } from '../migrate.ts'

/** How the UI shows numbers to a user, and whether it shows times as ages. */
export const numberFormat: Migration = {
  name: '0135_number_format',
  up: () => `
alter table display_settings add column number_format text not null default 'browser'
  check (number_format in ('browser', 'comma', 'point', 'space'));
alter table display_settings add column times text not null default 'relative' check (times in ('relative', 'absolute'));
`,
}
