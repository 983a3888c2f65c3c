import type { Migration } from '../migrate.ts'

const critical = 7

/** Indexes for the coverage by scanners, and for the critical findings of an import. */
export const securityOverview: Migration = {
  name: '0128_security_overview',
  up: () => `
create index scans_by_type on scans (scanner_id, report_type, ref, observed_at);
create index findings_critical_of_import on findings (import_id) where severity = ${critical};
`,
}
