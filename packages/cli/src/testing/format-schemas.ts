/** JSON schemas that tests compare the output formats with, written from the published descriptions of the formats. */

const text = { type: 'string', minLength: 1 }
const count = { type: 'integer', minimum: 0 }

function record(properties: Record<string, object>, optional: readonly string[] = []): object {
  const required = Object.keys(properties).filter((name) => !optional.includes(name))
  return { type: 'object', properties, required, additionalProperties: false }
}

/** GitLab's Code Quality report: a list of issues with a unique fingerprint. */
export const codeQualitySchema = {
  type: 'array',
  items: record({
    description: text,
    check_name: text,
    fingerprint: text,
    severity: { enum: ['info', 'minor', 'major', 'critical', 'blocker'] },
    location: record({
      path: { type: 'string', pattern: '^(?!\\./|/).+' },
      lines: record({ begin: { type: 'integer', minimum: 1 } }),
    }),
  }),
}

const message = record({ text })
const region = record({ startLine: { type: 'integer', minimum: 1 }, endLine: { type: 'integer', minimum: 1 } }, [
  'endLine',
])
const uri = { type: 'string', pattern: "^[A-Za-z0-9\\-._~:/?#\\[\\]@!$&'()*+,;=%]+$" }

/** The part of SARIF 2.1.0 that is written. */
export const sarifSchema = record({
  $schema: uri,
  version: { const: '2.1.0' },
  runs: {
    type: 'array',
    minItems: 1,
    items: record(
      {
        tool: record({
          driver: record({
            name: text,
            informationUri: uri,
            rules: {
              type: 'array',
              items: record(
                {
                  id: text,
                  shortDescription: message,
                  helpUri: uri,
                  properties: record({
                    'security-severity': { type: 'string', pattern: '^\\d+\\.\\d$' },
                    tags: { type: 'array', items: text, uniqueItems: true },
                  }),
                },
                ['helpUri'],
              ),
            },
          }),
        }),
        automationDetails: record({ id: text }),
        invocations: {
          type: 'array',
          minItems: 1,
          items: record(
            {
              executionSuccessful: { type: 'boolean' },
              toolExecutionNotifications: {
                type: 'array',
                items: record({ level: { enum: ['none', 'note', 'warning', 'error'] }, message }),
              },
            },
            ['toolExecutionNotifications'],
          ),
        },
        columnKind: { enum: ['utf16CodeUnits', 'unicodeCodePoints'] },
        properties: { type: 'object' },
        results: {
          type: 'array',
          items: record(
            {
              ruleId: text,
              ruleIndex: count,
              level: { enum: ['none', 'note', 'warning', 'error'] },
              baselineState: { enum: ['new', 'unchanged', 'updated', 'absent'] },
              message,
              locations: {
                type: 'array',
                items: record(
                  {
                    physicalLocation: record({ artifactLocation: record({ uri, uriBaseId: text }), region }, [
                      'region',
                    ]),
                    logicalLocations: { type: 'array', items: record({ fullyQualifiedName: text }) },
                  },
                  ['physicalLocation', 'logicalLocations'],
                ),
              },
              hostedViewerUri: uri,
              partialFingerprints: { type: 'object', additionalProperties: text },
            },
            ['hostedViewerUri'],
          ),
        },
      },
      ['properties'],
    ),
  },
})

const counts = record({ new: count, fixed: count, known: count })
const severity = { enum: ['critical', 'high', 'medium', 'low', 'unknown', 'info'] }
const finding = {
  type: 'object',
  properties: {
    uuid: text,
    name: { type: 'string' },
    severity,
    report_type: { type: 'string' },
    location: { type: 'object' },
  },
  required: ['uuid', 'name', 'severity', 'report_type', 'location'],
}
const findings = { type: 'array', items: finding }

/** The output of `--format json`. */
export const jsonSchema = record({
  server: uri,
  project: text,
  project_created: { type: 'boolean' },
  ref: text,
  commit: { type: ['string', 'null'] },
  ci: { type: ['string', 'null'] },
  dry_run: { type: 'boolean' },
  imports: {
    type: 'array',
    items: {
      type: 'object',
      properties: { file: text, status: text, findings: {} },
      required: ['file', 'status', 'findings'],
    },
  },
  rejected: { type: 'array', items: record({ file: text, message: text }) },
  against: record({
    ref: { type: ['string', 'null'] },
    new: count,
    fixed: count,
    known: count,
    dismissed: count,
    by_severity: record({ critical: counts, high: counts, medium: counts, low: counts, info: counts, unknown: counts }),
    samples: record({ new: findings, fixed: findings }),
  }),
  findings: record({ new: findings, fixed: findings, known: findings, complete: { type: 'boolean' } }),
  gate: {
    anyOf: [
      { type: 'null' },
      record({
        policy: text,
        passed: { type: 'boolean' },
        violations: { type: 'array', items: record({ rule: text, count: { type: 'integer', minimum: 1 } }) },
      }),
    ],
  },
})
