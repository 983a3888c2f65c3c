import type { Migration } from '../migrate.ts'

/** The role that a report for the default branch requires, for each project. */
export const defaultBranchReports: Migration = {
  name: '0055_default_branch_reports',
  up: () => `
alter table projects add column default_branch_report_role text not null default 'developer'; -- developer, maintainer
`,
}
