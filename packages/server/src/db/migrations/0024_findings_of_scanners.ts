import type { Migration } from '../migrate.ts'

/** Index for reading a scanner's findings in batches, ordered by id. */
export const findingsOfScanners: Migration = {
  name: '0024_findings_of_scanners',
  up: () => `
drop index findings_scanner;
create index findings_scanner on findings (scanner_id, report_type, id);
`,
}
