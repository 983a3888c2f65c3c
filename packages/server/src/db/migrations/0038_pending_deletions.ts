import type { Migration } from '../migrate.ts'

/** Removed objects wait before they go; those whose time has come are found without a look at the others. */
export const pendingDeletions: Migration = {
  name: '0038_pending_deletions',
  up: () => `
create index doomed_objects_by_time on doomed_objects (doomed_at, id);
`,
}
