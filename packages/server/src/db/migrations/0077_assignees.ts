import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** The user who triages a vulnerability, or null. */
export const assignees: Migration = {
  name: '0077_assignees',
  up(engine) {
    const { integer } = columnTypes(engine)
    return `
alter table vulnerabilities add column assignee_id ${integer} references users(id) on delete set null;
create index vulnerabilities_assignee on vulnerabilities (assignee_id) where assignee_id is not null;
-- Lists of one assignee, or of unassigned vulnerabilities (0), are read in the order of their ids.
create index vulnerabilities_by_assignee on vulnerabilities (coalesce(assignee_id, 0), project_id, is_on_default_branch,
  severity, id);
`
  },
}
