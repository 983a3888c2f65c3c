import type { Migration } from '../migrate.ts'
import { columnTypes } from './column-types.ts'

/**
 * Filter columns of vulnerabilities by finding id, in rows that are as small as possible, because lists examine tens of
 * thousands of them. The facets are packed into bits (`facetsOf` in `promoted-queries.ts`).
 */
export const promotedFindings: Migration = {
  name: '0030_promoted_findings',
  up: (engine) => {
    const { integer } = columnTypes(engine)
    const id = engine === 'sqlite' ? 'integer' : 'bigint'
    return `
create table promoted_findings (
  finding_id ${id} primary key references findings(id) on delete cascade,
  vulnerability_id ${integer} not null, -- not a foreign key, because both are deleted with their project
  facets ${integer} not null,
  scanner_id ${integer} not null -- scanner of the vulnerability, 0 for none
);
insert into promoted_findings (finding_id, vulnerability_id, facets, scanner_id)
select f.id, v.id, v.severity
    + 8 * case v.state when 'confirmed' then 1 when 'resolved' then 2 when 'dismissed' then 3 else 0 end
    + 32 * case when v.is_on_default_branch = true then 1 else 0 end
    + 64 * case when v.is_resolved_on_default_branch = true then 1 else 0 end
    + 128 * case v.dismissal_reason when 'acceptable_risk' then 1 when 'false_positive' then 2
      when 'mitigating_control' then 3 when 'used_in_tests' then 4 when 'not_applicable' then 5 else 0 end
    + 1024 * case v.report_type when 'sast' then 1 when 'dependency_scanning' then 2 when 'container_scanning' then 3
      when 'dast' then 4 when 'secret_detection' then 5 when 'coverage_fuzzing' then 6 when 'api_fuzzing' then 7
      when 'cluster_image_scanning' then 8 when 'container_scanning_for_registry' then 9 else 0 end,
  v.scanner_id
from vulnerabilities v join findings f on f.vulnerability_id = v.id order by f.id;
`
  },
}
