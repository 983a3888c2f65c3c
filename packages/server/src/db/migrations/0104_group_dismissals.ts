import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/** The rule by which a decision about a vulnerability applies to all projects of a group. */
export const groupDismissals: Migration = {
  name: '0104_group_dismissals',
  up(engine) {
    const { integer } = columnTypes(engine)
    return `
alter table vulnerabilities add column group_rule_id ${integer} references vulnerability_rules(id) on delete set null;
create index vulnerabilities_group_rule on vulnerabilities (group_rule_id, project_id) where group_rule_id is not null;
`
  },
}
