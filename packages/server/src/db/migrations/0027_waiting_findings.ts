import type { Migration } from '../migrate.ts'

/** Index of findings that were not promoted. */
export const waitingFindings: Migration = {
  name: '0027_waiting_findings',
  up: () => `
create index findings_waiting on findings (project_id, id) where vulnerability_id is null;
`,
}
