import type { Migration } from '../migrate.ts'

/** Reasons for which exports and promotions have failed. */
export const stoppedWork: Migration = {
  name: '0072_stopped_work',
  up: () => `
alter table vulnerability_exports add column error text;
alter table finding_promotions add column error text;
`,
}
