import { existsSync, readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ReportType } from '../../../findings/scales.ts'
import { isObject } from '../fields/json-fields.ts'
import { findProblems } from '../problems/checks.ts'
import type { JsonObject } from '../report.ts'
import { reportCheck } from './schema.ts'
import type { Major } from './versions.ts'

// GitLab's schemas are not part of this project. If a copy is present, our rules must agree with them.
const schemas = new URL('../../../../../../../../shared/data/schemas/gitlab/', import.meta.url)
const fixtures = new URL('./fixtures/', import.meta.url)

type Validate = (value: unknown) => boolean
interface Validator {
  compile: (schema: unknown) => Validate
}

const runs = Number(process.env.SCHEMA_RUNS ?? 500)

const ajvName = 'ajv'
const ajv: Validator | undefined = await import(ajvName).then(
  ({ Ajv }) =>
    new Ajv({
      strict: false,
      unicodeRegExp: false,
      validateFormats: false,
      ignoreKeywordsWithRef: true,
      logger: false,
    }),
  () => undefined,
)

const rules: { major: Major; reportType: ReportType; validate: Validate }[] = []
if (ajv && existsSync(schemas)) {
  for (const [major, folder] of [
    [14, '14.1.3/'],
    [15, '15.2.1/'],
  ] as const) {
    for (const file of readdirSync(new URL(folder, schemas))) {
      const reportType = file.replace('-report-format.json', '').replaceAll('-', '_') as ReportType
      const validate = ajv.compile(readJson(new URL(folder + file, schemas)))
      rules.push({ major, reportType, validate })
    }
  }
}

const written = readdirSync(fixtures)
  .toSorted()
  .toReversed()
  .map((file) => readJson(new URL(file, fixtures)))
const reports = [...written, ...rules.map(({ major, reportType }) => everythingReport(major, reportType))]

describe.skipIf(rules.length === 0)('our rules agree with the published schemas', () => {
  test('on the fixtures', () => {
    for (const report of reports) expectAgreement(report)
  })

  test('on a report with every field, which each schema accepts for its own type', () => {
    for (const { major, reportType, validate } of rules) {
      expect({ reportType, major, valid: validate(everythingReport(major, reportType)) }).toMatchObject({ valid: true })
    }
  })

  test('on reports with one field deleted or replaced', { timeout: 60_000 }, () => {
    for (const rule of rules) {
      const report = everythingReport(rule.major, rule.reportType)
      // Fields that all types share are tested once.
      if (rule.reportType !== 'sast') dropShared(report)
      for (const { container, key } of placesOf(report)) {
        const place = container as JsonObject
        const original = place[key]
        for (const odd of oddValues) {
          place[key] = odd
          expectAgreement(report, [rule])
        }
        if (!Array.isArray(container)) {
          delete place[key]
          expectAgreement(report, [rule])
        }
        place[key] = original
      }
    }
  })

  test('on reports with several values deleted, replaced or added', { timeout: 60_000 }, () => {
    const mutation = fc.record({
      report: fc.constantFrom(...reports),
      changes: fc.array(
        fc.record({
          at: fc.nat(),
          how: fc.nat(4),
          key: fc.constantFrom(...keys),
          value: fc.constantFrom(...oddValues),
        }),
        {
          minLength: 1,
          maxLength: 3,
        },
      ),
    })
    fc.assert(
      fc.property(mutation, ({ report, changes }) => {
        const changed = structuredClone(report)
        for (const change of changes) apply(changed, change)
        expectAgreement(changed)
      }),
      { numRuns: runs },
    )
  })

  test('on images and vectors of any format', () => {
    const image = fc.string({
      unit: fc.constantFrom('a', '1', ':', '/', '.', '_', '-', '@', ' ', '\n', 'é'),
      maxLength: 14,
    })
    fc.assert(
      fc.property(image, vector, (text, cvss) => {
        expectAgreement(withLocation(reports.find(isContainerReport), { image: text, default_branch_image: text }))
        expectAgreement(withVector(reports.find(isSastReport), cvss))
      }),
      { numRuns: runs },
    )
  })
})

function expectAgreement(report: unknown, by = rules): void {
  for (const { major, reportType, validate } of by) {
    const problems = findProblems(reportCheck(major, reportType), report)
    const theirs = validate(report)
    if ((problems.length === 0) !== theirs) {
      const wording = JSON.stringify({
        rules: `${major} ${reportType}`,
        theirs,
        problems: problems.slice(0, 3),
        report,
      })
      expect.fail(wording)
    }
  }
}

const metric = fc.constantFrom('AV:N', 'AV:P', 'AC:M', 'Au:N', 'C:P', 'C:H', 'E:ND', 'E:X', 'RL:OF', 'CDP:LM', 'MAV:X')
const vector = fc
  .tuple(fc.constantFrom('', 'CVSS:3.0/', 'CVSS:3.1/', 'CVSS:3.2/'), fc.array(metric, { maxLength: 26 }))
  .chain(([start, metrics]) => fc.constantFrom(start + metrics.join('/'), `${start + metrics.join('/')}/`, start))

const oddValues: unknown[] = [
  ...[null, true, 0, 1, 2, -1, 1.5, 1e300, '', 'x', ' ', 'a\nb', 'x'.repeat(7000), 'x'.repeat(7001)],
  ...[
    'n'.repeat(255),
    'n'.repeat(256),
    '😀'.repeat(255),
    '😀'.repeat(256),
    '2026-01-01T00:00:00',
    '2026-01-01T00:00:00.000',
  ],
  ...[
    'https://a',
    'https://',
    'ftp://\n',
    'javascript:x',
    'High',
    'high',
    'Ignore',
    'info',
    'failure',
    'argument',
    'postman',
  ],
  ...['sast', 'dast', 'api_fuzzing', 'container_scanning_for_registry', '15.2', '15.2.1', 'source', 'sink'],
  ...['text', 'list', 'named-list', 'value', 'file-location', 'code-flows', 'code-flow-node'],
  ...[[], {}, [[]], [{}], [null], ['x'], { name: 'x' }, { type: 'text', value: '' }, [{ iid: 1 }]],
  ...[
    { name: '', type: 'commit', value: '' },
    { name: 'n', type: 'list', items: [{ type: 'text' }] },
  ],
  ...[{ items: [{ signatures: [1] }] }, { type: 'source' }, { sha: 'x' }, { name: 'n', id: 'i' }],
  ...[Array(10).fill([{ type: 'code-flow-node' }]), Array(11).fill({ vendor: 'v', vector: 'AV:N/AC:M/Au:N/C:N' })],
]

const keys = [
  ...['analyzer', 'assets', 'category', 'column_end', 'column_start', 'commit', 'confidence', 'cve', 'cvss_vectors'],
  ...[
    'dependency',
    'dependency_files',
    'description',
    'details',
    'discovered_at',
    'evidence',
    'file',
    'fixes',
    'flags',
  ],
  ...['id', 'identifiers', 'image', 'items', 'line_end', 'links', 'location', 'message', 'messages', 'name', 'options'],
  ...[
    'primary_identifiers',
    'raw_source_code_extract',
    'remediations',
    'scan',
    'scanned_resources',
    'scanner',
    'schema',
  ],
  ...[
    'severity',
    'solution',
    'start_line',
    'tracking',
    'type',
    'url',
    'value',
    'version',
    'vulnerabilities',
    '__proto__',
  ],
  ...['constructor', 'a\nb', ''],
]

/** Deletes, replaces or adds a value at the place with this number. */
function apply(root: unknown, change: { at: number; how: number; key: string; value: unknown }): void {
  const places = placesOf(root)
  const place = places[change.at % places.length]
  if (!place) return
  const { container, key } = place
  const set = (target: object, name: string) =>
    Object.defineProperty(target, name, {
      value: structuredClone(change.value),
      enumerable: true,
      configurable: true,
      writable: true,
    })
  if (change.how === 0 && Array.isArray(container)) container.splice(Number(key), 1)
  else if (change.how === 0) delete (container as JsonObject)[key]
  else if (change.how === 1 && !Array.isArray(container)) set(container, change.key)
  else set(container, key)
}

function placesOf(root: unknown): { container: object; key: string }[] {
  if (typeof root !== 'object' || root === null) return []
  return Object.entries(root).flatMap(([key, inner]) => [{ container: root, key }, ...placesOf(inner)])
}

const scanType = (report: unknown) => (isObject(report) && isObject(report.scan) ? report.scan.type : undefined)
const isContainerReport = (report: unknown) => scanType(report) === 'container_scanning'
const isSastReport = (report: unknown) => scanType(report) === 'sast'

/** Returns a report of this type with one vulnerability that has the fields of all types and versions. */
function everythingReport(major: Major, reportType: ReportType): JsonObject {
  const all = structuredClone(written) as { scan?: JsonObject; vulnerabilities: JsonObject[] }[]
  const vulnerabilities = all.flatMap((report) => report.vulnerabilities)
  const merged = merge(vulnerabilities)
  merged.location = merge(vulnerabilities.map(({ location }) => location).filter(isObject))
  if (major === 14) delete (merged.details as JsonObject).flow
  return {
    ...merge(all),
    scan: { ...merge(all.map(({ scan }) => scan).filter(isObject)), type: reportType },
    vulnerabilities: [merged],
    remediations: [{ fixes: [{ id: 'f-1', cve: 'k' }], summary: 's', diff: 'eA==' }],
  }
}

function dropShared(report: JsonObject): void {
  const [vulnerability] = report.vulnerabilities as JsonObject[]
  for (const key of ['details', 'tracking', 'cvss_vectors', 'flags', 'links']) delete vulnerability?.[key]
  for (const key of ['options', 'primary_identifiers', 'observability']) delete (report.scan as JsonObject)[key]
  delete report.remediations
}

/** Merges objects; the first value of a key wins. */
function merge(objects: object[]): JsonObject {
  return Object.assign({}, ...objects.toReversed())
}

function withLocation(report: unknown, location: JsonObject): unknown {
  const copy = structuredClone(report) as { vulnerabilities: { location: JsonObject }[] }
  for (const vulnerability of copy.vulnerabilities) Object.assign(vulnerability.location, location)
  return copy
}

function withVector(report: unknown, vector: string): unknown {
  const copy = structuredClone(report) as { vulnerabilities: JsonObject[] }
  for (const vulnerability of copy.vulnerabilities) vulnerability.cvss_vectors = [{ vendor: 'v', vector }]
  return copy
}

function readJson(file: URL): unknown {
  return JSON.parse(readFileSync(file, 'utf8'))
}
