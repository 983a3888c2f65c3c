import type { Migration } from '../migrate.ts'
import { rowTrigger } from './row-trigger.ts'

/**
 * Triggers that copy the triage of a vulnerability to the rows that lists of findings read. Changes of a vulnerability
 * take two statements less, also those of imports.
 */
export const triageTriggers: Migration = {
  name: '0057_triage_triggers',
  up: (engine) =>
    [
      rowTrigger(engine, {
        name: 'vulnerabilities_facets',
        table: 'vulnerabilities',
        columns: packed,
        when: packed.map((column) => `old.${column} is distinct from new.${column}`).join(' or '),
        body: `update promoted_findings set facets = ${facets}, scanner_id = new.scanner_id
  where finding_id = (select f.id from findings f where f.vulnerability_id = new.id);`,
      }),
      rowTrigger(engine, {
        name: 'vulnerabilities_occurrences',
        table: 'vulnerabilities',
        columns: ['state', 'severity', 'is_severity_overridden'],
        // A severity of the scanner is copied with its finding.
        when: `old.state <> new.state or old.is_severity_overridden <> new.is_severity_overridden
  or new.is_severity_overridden = true and old.severity <> new.severity`,
        body: `update occurrences set state = new.state, severity = case when new.is_severity_overridden = true
    then new.severity else (select f.severity from findings f where f.vulnerability_id = new.id) end
  where finding_id = (select f.id from findings f where f.vulnerability_id = new.id);`,
      }),
    ].join('\n'),
}

const packed = [
  ...['severity', 'state', 'is_on_default_branch', 'is_resolved_on_default_branch', 'dismissal_reason'],
  ...['report_type', 'scanner_id'],
]

const placeOf = (column: string, words: readonly string[], first: number) =>
  `case ${column} ${words.map((word, index) => `when '${word}' then ${index + first}`).join(' ')} else 0 end`

/** The same number as `facetsOf` in `promoted-queries.ts`. */
const facets = `new.severity
    + 8 * ${placeOf('new.state', ['detected', 'confirmed', 'resolved', 'dismissed'], 0)}
    + 32 * case when new.is_on_default_branch = true then 1 else 0 end
    + 64 * case when new.is_resolved_on_default_branch = true then 1 else 0 end
    + 128 * ${placeOf(
      'new.dismissal_reason',
      ['acceptable_risk', 'false_positive', 'mitigating_control', 'used_in_tests', 'not_applicable'],
      1,
    )}
    + 1024 * ${placeOf(
      'new.report_type',
      [
        ...['sast', 'dependency_scanning', 'container_scanning', 'dast', 'secret_detection', 'coverage_fuzzing'],
        ...['api_fuzzing', 'cluster_image_scanning', 'container_scanning_for_registry'],
      ],
      1,
    )}`
