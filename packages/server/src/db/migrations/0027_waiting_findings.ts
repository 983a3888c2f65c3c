import type { Migration } from '../migrate.ts'

/** What waits for promotion is found without a look at what was promoted. */
export const waitingFindings: Migration = {
  name: '0027_waiting_findings',
  up: () => `
create index findings_waiting on findings (project_id, id) where vulnerability_id is null;
`,
}
