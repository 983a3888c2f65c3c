import type { Migration } from '../migrate.ts'

/** Signed webhooks, and messages for chats. */
export const hookFormats: Migration = {
  name: '0059_hook_formats',
  up: () => `
alter table hooks add column signing_token text; -- key of the signatures of deliveries
alter table hooks add column format text not null default 'gitlab'; -- gitlab, json, slack, mattermost, teams
alter table hooks add column min_severity text; -- null: vulnerability events of every severity
`,
}
