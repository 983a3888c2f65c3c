import type { Migration } from '../migrate.ts'

/** Indexes for the security dashboard: last scans, changes by imports, and decisions about single vulnerabilities. */
export const dashboard: Migration = {
  name: '0100_dashboard',
  up: () => {
    const changes =
      'shown_at is not null and (findings_new > 0 or findings_reappeared > 0 or findings_absent > 0 or findings_held > 0)'
    return `
create index imports_shown on imports (project_id, ref, shown_at) where shown_at is not null;
create index imports_with_changes on imports (shown_at, id) where ${changes};
create index imports_with_changes_of_project on imports (project_id, ref, shown_at) where ${changes};
create index scans_by_time on scans (scanner_id, ref, observed_at);
-- Decisions of bulk changes are found by their bulk changes.
create index vulnerability_history_decisions on vulnerability_history (id)
  where kind = 'state' and user_id is not null and bulk_id is null;
`
  },
}
