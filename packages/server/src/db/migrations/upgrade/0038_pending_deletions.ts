import type { Migration } from '../../migrate.ts'

/** Index for finding pending deletions that are due. */
export const pendingDeletions: Migration = {
  name: '0038_pending_deletions',
  up: () => `
create index doomed_objects_by_time on doomed_objects (doomed_at, id);
`,
}
