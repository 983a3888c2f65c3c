import type { Migration } from '../migrate.ts'

/** What a scanner found is read in the order of ids, some at a time. */
export const findingsOfScanners: Migration = {
  name: '0024_findings_of_scanners',
  up: () => `
drop index findings_scanner;
create index findings_scanner on findings (scanner_id, report_type, id);
`,
}
