import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { ExportedRow } from './exported-rows.ts'
import { openSarifRun, sarifHeadOf, sarifTail } from './sarif.ts'

const row = (finding: object, rest: object = {}): ExportedRow =>
  ({
    project: { fullPath: 'acme/site' },
    vulnerability: {
      id: 7,
      title: 'Flaw',
      state: 'detected',
      severity: 'high',
      reportType: 'sast',
      isResolvedOnDefaultBranch: false,
      createdAt: '2026-05-01T10:20:30.456Z',
    },
    finding: {
      uuid: '8461bcd9-5a49-5996-abfc-abfe87fe20e3',
      name: 'Flaw',
      description: 'What it is',
      solution: null,
      locationFingerprint: '15467a642a248bbcaf75c47c771c85a12a109027',
      location: {},
      ...finding,
    },
    extras: { cvss: [], signatures: [] },
    scanner: { name: 'Semgrep', externalId: 'semgrep', vendor: 'Acme' },
    identifiers: [{ name: 'Rule 1', externalType: 'rule', externalId: 'one', url: 'https://rules.test/a b' }],
    ...rest,
  }) as unknown as ExportedRow // only what SARIF is made of

const rows = [
  row({ location: { file: 'src/a b#c?.ts', start_line: 3, end_line: 5, class: 'A', method: 'b' } }),
  row({ location: { file: '/etc/ä.conf', start_line: 0 } }),
  row({ location: { file: 'win\\dows.cs', start_line: 'x' }, description: '' }),
  row({ location: { image: 'alpine:3.7', operating_system: 'alpine' } }),
  row({ location: { hostname: 'https://x.test', path: '/login' } }, { identifiers: [] }),
  row(
    { location: { file: '\ud800' } },
    {
      extras: { cvss: [{ vendor: 'NVD', vector: 'AV:N' }], signatures: [{ algorithm: 'scope_offset', sha: 'ab' }] },
      identifiers: [{ name: 'Odd', externalType: 'rule', externalId: 'odd', url: 'not an address' }],
    },
  ),
  ...(['dismissed', 'resolved'] as const).map((state) =>
    row(
      {},
      {
        vulnerability: {
          ...row({}).vulnerability,
          state,
          isResolvedOnDefaultBranch: true,
          dismissalReason: 'used_in_tests',
          dismissedUntil: null,
          isDismissedUntilFixed: false,
        },
      },
    ),
  ),
]

function write(): string {
  const [first] = rows
  if (!first) throw new Error('there are rows')
  const run = openSarifRun(first)
  return [sarifHeadOf(3), run.head, ...rows.map(run.result), run.end(), sarifTail].join('')
}

test('locations are project-relative URIs, with a region only for valid lines', () => {
  const [run] = JSON.parse(write()).runs
  const places = run.results.map(
    (result: { locations: { physicalLocation: object }[] }) => result.locations[0]?.physicalLocation,
  )
  expect(places).toEqual([
    { artifactLocation: { uri: 'src/a%20b%23c%3F.ts' }, region: { startLine: 3, endLine: 5 } },
    { artifactLocation: { uri: 'etc/%C3%A4.conf' } },
    { artifactLocation: { uri: 'win/dows.cs' } },
    { artifactLocation: { uri: 'alpine%3A3.7' } },
    undefined,
    { artifactLocation: { uri: '%EF%BF%BD' } },
    undefined,
    undefined,
  ])
})

test('dismissed results are suppressed with the reason, resolved ones are not', () => {
  const [run] = JSON.parse(write()).runs
  const suppressions = run.results.map((result: { suppressions?: object[] }) => result.suppressions)
  expect(suppressions.slice(-2)).toEqual([
    [{ kind: 'external', status: 'accepted', justification: 'used_in_tests' }],
    undefined,
  ])
})

test('a rule has the highest severity of its results', () => {
  const [run] = JSON.parse(write()).runs
  expect(run.tool.driver.rules).toMatchObject([
    { id: 'rule:one', helpUri: 'https://rules.test/a%20b', properties: { 'security-severity': '8.0' } },
    { id: 'Flaw' },
    { id: 'rule:odd' },
  ])
  expect(run.tool.driver.rules[2].helpUri).toBeUndefined()
})

// The schema is not part of this project. If a copy is present, logs are validated against it.
const schemaFile = new URL(
  '../../../../../../shared/data/schemas/sarif/sarif-schema-2.1.0-errata01.json',
  import.meta.url,
)
const ajvName = 'ajv'
const ajv: { compile(schema: unknown): { (value: unknown): boolean; errors?: unknown } } | undefined = await import(
  ajvName
).then(
  ({ Ajv }) => new Ajv({ strict: false, validateFormats: false, allErrors: true, logger: false }),
  () => undefined,
)

describe.runIf(ajv && existsSync(schemaFile))('the published SARIF schema', () => {
  test('accepts our output', () => {
    // The schema declares an older draft, which the validator handles the same way.
    const { id: _id, $schema: _draft, ...schema } = JSON.parse(readFileSync(schemaFile, 'utf8'))
    const validate = ajv?.compile(schema)
    expect([validate?.(JSON.parse(write())), validate?.errors]).toEqual([true, null])
  })
})
