import { createReadStream, readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { type ReadOptions, readWholeReport } from '../reader/read-report.ts'
import { formats } from './formats.ts'
import { sha1 } from './identity/fingerprints.ts'
import type { Report, ReportFinding } from './report.ts'

const fixture = (path: string) => () => createReadStream(new URL(path, import.meta.url))

async function readFixture(path: string, options: Partial<ReadOptions> = {}): Promise<Report> {
  const read = await readWholeReport(fixture(path), { projectId: 42, ...options })
  if ('problems' in read) throw new Error(JSON.stringify(read.problems))
  return read.report
}

async function readText(report: object, options: Partial<ReadOptions> = {}): Promise<Report> {
  const read = await readWholeReport(() => chunksOf(JSON.stringify(report)), { projectId: 42, ...options })
  if ('problems' in read) throw new Error(JSON.stringify(read.problems))
  return read.report
}

async function refusal(text: string, options: Partial<ReadOptions> = {}): Promise<string> {
  const read = await readWholeReport(() => chunksOf(text), { projectId: 42, ...options })
  return 'problems' in read ? read.problems.map(({ message }) => message).join('; ') : 'accepted'
}

async function* chunksOf(text: string) {
  yield Buffer.from(text)
}

const at = (report: Report, index: number): ReportFinding => report.findings[index] ?? expect.fail('no such finding')
const ids = ({ identifiers }: ReportFinding) =>
  identifiers.map(({ externalType, externalId }) => `${externalType}:${externalId}`)
const reasons = ({ skipped }: Report) => skipped.map(({ pointer, reason }) => `${pointer}: ${reason}`)

test.for(formats.map(({ name }) => name).filter((name) => name !== 'gitlab'))(
  'every fixture of %s is valid and recognised by its content',
  async (name) => {
    const folder = new URL(`./${name}/fixtures/`, import.meta.url)
    for (const file of readdirSync(folder)) {
      const { format, findings } = await readFixture(`./${name}/fixtures/${file}`, { strict: !file.startsWith('code') })
      expect(format).toBe(name)
      for (const { rawMetadata } of findings) expect(typeof JSON.parse(rawMetadata)).toBe('object')
    }
  },
)

const placed = (startLine: number) => ({
  locations: [{ physicalLocation: { artifactLocation: { uri: 'a.c' }, region: { startLine } } }],
})

describe('SARIF', () => {
  test('is read as code findings with the details of their rules', async () => {
    const report = await readFixture('./sarif/fixtures/code.sarif')
    expect(report).toMatchObject({
      version: '2.1.0',
      reportType: 'sast',
      reportTypes: ['sast'],
      scanner: { externalId: 'example-lint', name: 'Example Lint', vendor: 'Example Security', version: '3.1.4' },
      scan: { status: 'success', endTime: '2026-03-01T10:00:00.000Z' },
      counts: { read: 7, merged: 0, skipped: 2 },
    })
    expect(at(report, 0)).toMatchObject({
      pointer: '/runs/0/results/0',
      name: 'Input reaches a query',
      description: 'name flows into query\n\nWhoever controls the input controls the query.',
      solution: 'Bind the value',
      severity: 'critical',
      confidence: 'high',
      location: { file: 'src/db.c', start_line: 10, end_line: 12, method: 'db::find' },
      locationFingerprint: sha1('src/db.c:10:12'),
      codeExtract: 'run(query)',
      links: [{ url: 'https://example.com/EX1' }],
      signatures: [],
    })
    expect(ids(at(report, 0))).toEqual(['example_lint_rule_id:EX1', 'cwe:89'])
  })

  test('finds files by index and base, rules by a part of their id, and lines by default', async () => {
    const report = await readFixture('./sarif/fixtures/code.sarif')
    expect(at(report, 1)).toMatchObject({
      severity: 'low',
      location: { file: 'lib/listed file.c', start_line: 4, end_line: 4 },
    })
    expect(at(report, 4).location).toEqual({ file: 'src/a.c' })
    expect(report.warnings.map(({ pointer }) => pointer)).toContain('/runs/0/results/6/locations/0')
  })

  test('distinguishes results without a location by their text', async () => {
    const report = await readFixture('./sarif/fixtures/code.sarif')
    expect([at(report, 2).name, at(report, 3).name]).toEqual(['One', 'Two'])
    expect(at(report, 2)).toMatchObject({ severity: 'medium', location: {} })
    expect(at(report, 2).uuid).not.toBe(at(report, 3).uuid)
  })

  test('lists passed and suppressed results as skipped', async () => {
    expect(reasons(await readFixture('./sarif/fixtures/code.sarif'))).toEqual([
      '/runs/0/results/4: it says that the check passed',
      '/runs/0/results/5: it is suppressed, and the suppression is accepted',
    ])
  })

  test('of a container scanner is read as packages and secrets', async () => {
    const report = await readFixture('./sarif/fixtures/image.sarif')
    expect(report.findings).toMatchObject([
      {
        reportType: 'container_scanning',
        severity: 'high',
        location: { image: 'registry.example.com/shop:latest', dependency: { package: { name: 'openssl' } } },
        locationFingerprint: sha1('registry.example.com/shop:openssl'),
      },
      { reportType: 'secret_detection', severity: 'critical', location: { file: 'config.ini', start_line: 7 } },
    ])
    expect(ids(at(report, 0))).toEqual(['cve:CVE-2099-0001'])
    const asCode = await readFixture('./sarif/fixtures/image.sarif', { reportType: 'sast' })
    expect(asCode.findings.map(({ reportType }) => reportType)).toEqual(['sast', 'sast'])
  })

  test('finds rules of extensions by any reference, and shared message texts', async () => {
    const rule = (id: string, guid: string, level: string) => ({ id, guid, defaultConfiguration: { level } })
    const extension = (name: string, guid: string, rules: object[]) => ({ name, guid, rules })
    const driver = {
      name: 'lint',
      rules: [rule('A', 'AAAA', 'note')],
      globalMessageStrings: { hello: { text: 'Hi {0}' } },
    }
    const extensions = [
      extension('one', 'E1', [rule('B', 'BBBB', 'error')]),
      extension('two', 'E2', [rule('C', 'CCCC', 'none')]),
    ]
    const result = (reference: object) => ({ rule: reference, message: { id: 'hello', arguments: ['you'] } })
    const results = [
      result({ index: 0 }),
      result({ index: 0, toolComponent: { index: 1 } }),
      result({ index: 0, toolComponent: { name: 'one' } }),
      result({ index: 0, toolComponent: { guid: 'e2' } }),
      result({ guid: 'bbbb' }),
      result({ index: 0, toolComponent: { name: 'three' } }),
    ]
    const report = await readText({
      version: '2.1.0',
      runs: [{ tool: { driver, extensions }, results: results.map((one, line) => ({ ...one, ...placed(line + 1) })) }],
      inlineExternalProperties: [{ results: [] }],
    })
    expect(report.findings.map(({ severity }) => severity)).toEqual(['low', 'info', 'high', 'info', 'high', 'medium'])
    expect(report.findings.map(({ description }) => description)).toEqual(results.map(() => 'Hi you'))
    expect(report.findings.map((finding) => ids(finding)[0])).toEqual(
      ['A', 'C', 'B', 'C', 'B', 'none'].map((id) => `lint_rule_id:${id}`),
    )
    expect(report.warnings).toMatchObject([{ pointer: '/inlineExternalProperties' }])
  })

  test('of another version is rejected', async () => {
    expect(await refusal('{"version":"2.2","runs":[]}')).toBe('The version of SARIF is "2.2"; only "2.1.0" can be read')
    expect(await refusal('{"version":"2.1.0","runs":null}')).toContain("property '/runs' is not of type: array")
    expect(await refusal('{"version":"2.1.0","runs":[{"tool":{"driver":{}}}]}', { strict: true })).toBe(
      "property '/runs/0/tool/driver' is missing required keys: name",
    )
  })
})

describe('CycloneDX', () => {
  test('is read as one finding per affected component', async () => {
    const report = await readFixture('./cyclonedx/fixtures/bom-1.6.json')
    expect(report).toMatchObject({
      version: '1.6',
      reportType: 'dependency_scanning',
      scanner: { externalId: 'example-scanner', vendor: 'Example Security', version: '2.0' },
      counts: { read: 5, merged: 0, skipped: 1 },
    })
    expect(at(report, 0)).toMatchObject({
      pointer: '/vulnerabilities/0/affects/0',
      name: 'CVE-2099-0001 in org.example/parser',
      solution: 'Upgrade to 1.2.4',
      severity: 'medium',
      location: { file: 'lib/parser.jar', dependency: { package: { name: 'org.example/parser' }, version: '1.2.3' } },
      cvss: [{ vendor: 'NVD', vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' }],
      links: [
        { url: 'https://nvd.example.com/CVE-2099-0001', name: 'NVD' },
        { url: 'https://github.com/advisories/GHSA-abcd-1234-efgh', name: 'GitHub' },
        { url: 'https://example.com/advisory', name: 'Advisory' },
      ],
    })
    expect(ids(at(report, 0))).toEqual(['cve:CVE-2099-0001', 'ghsa:GHSA-abcd-1234-efgh', 'cwe:502'])
    expect(at(report, 1).location).toEqual({ file: 'shop', dependency: { package: { name: 'inner' }, version: '0.1' } })
  })

  test('takes the severity from a vector, and the component from its package URL', async () => {
    const report = await readFixture('./cyclonedx/fixtures/bom-1.6.json')
    expect(at(report, 2)).toMatchObject({
      severity: 'low',
      location: { dependency: { package: { name: '@scope/thing' }, version: '2.0.0' } },
    })
    expect(at(report, 3)).toMatchObject({ severity: 'info', location: { dependency: { package: { name: 'nobody' } } } })
    expect(report.warnings).toMatchObject([{ pointer: '/vulnerabilities/3/affects/0' }])
    expect(reasons(report)).toEqual(['/vulnerabilities/2/affects/0: its analysis says false_positive'])
  })

  test('skips versions that are unaffected', async () => {
    const affects = (ref: string, ...statuses: string[]) => ({
      ref,
      versions: statuses.map((status, version) => ({ version: `${version}`, status })),
    })
    const { findings, ...report } = await readText({
      bomFormat: 'CycloneDX',
      specVersion: '1.5',
      vulnerabilities: [
        {
          id: 'CVE-2099-0001',
          affects: [
            affects('a', 'unaffected'),
            affects('b', 'unaffected', 'affected'),
            affects('c', 'unknown'),
            { ref: 'd' },
          ],
        },
      ],
    })
    expect(findings.map(({ pointer }) => pointer.at(-1))).toEqual(['1', '2', '3'])
    expect(reasons({ findings, ...report })).toEqual([
      '/vulnerabilities/0/affects/0: it says that these versions of the component are unaffected',
    ])
  })

  test('of version 1.7 is read, and a numbered entry is named by its vulnerability', async () => {
    const source = { name: 'NVD' }
    const { findings, version } = await readText({
      bomFormat: 'CycloneDX',
      specVersion: '1.7',
      components: [{ type: 'library', 'bom-ref': 'a', name: 'Django' }],
      vulnerabilities: [
        {
          id: 'c7129ff8-7a5b-4a3d-9a51-0d5f3cf7a001',
          references: [{ id: 'CVE-2099-0001', source }],
          affects: [{ ref: 'a' }],
        },
      ],
    })
    expect(version).toBe('1.7')
    expect(findings.map(({ name }) => name)).toEqual(['CVE-2099-0001 in Django'])
  })

  test('is rejected in another version, without vulnerabilities, or as a SAST report', async () => {
    expect(await refusal('{"bomFormat":"CycloneDX","specVersion":"1.3","vulnerabilities":[]}')).toContain(
      '"1.4", "1.5", "1.6"',
    )
    expect(await refusal('{"bomFormat":"CycloneDX","specVersion":"1.5"}')).toContain('neither a list of components')
    const bom = '{"bomFormat":"CycloneDX","specVersion":"1.5","vulnerabilities":[]}'
    expect(await refusal(bom, { reportType: 'sast' })).toContain('The report was sent as sast')
    expect(await refusal(bom, { reportType: 'container_scanning' })).toBe('accepted')
  })
})

describe('Trivy', () => {
  test('is read as findings of three report types', async () => {
    const report = await readFixture('./trivy/fixtures/image.json')
    expect(report).toMatchObject({
      version: '2',
      reportType: 'container_scanning',
      reportTypes: ['container_scanning', 'sast', 'secret_detection'],
      scanner: { externalId: 'trivy', vendor: 'Aqua Security' },
      scan: { endTime: '2026-03-01T10:00:00.500Z' },
      counts: { read: 6, merged: 0, skipped: 2 },
    })
    expect(report.findings).toMatchObject([
      {
        reportType: 'container_scanning',
        name: 'openssl: reads too much',
        solution: 'Upgrade openssl to 3.0.2',
        severity: 'high',
        location: {
          image: 'registry.example.com/shop:latest',
          operating_system: 'debian 12.4',
          dependency: { package: { name: 'openssl' }, version: '3.0.1' },
        },
        locationFingerprint: sha1('registry.example.com/shop:openssl'),
        links: [{ url: 'https://example.com/cve-2099-0001' }],
        cvss: [{ vendor: 'nvd', vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N' }],
      },
      { name: 'CVE-2099-0002 in zlib', severity: 'critical' },
      {
        reportType: 'sast',
        name: 'The user is root',
        solution: 'Add USER',
        location: { file: 'Dockerfile', start_line: 3, end_line: 4 },
        codeExtract: 'RUN a\nRUN b',
      },
      { reportType: 'secret_detection', severity: 'critical', location: { file: '/app/config.ini', start_line: 7 } },
    ])
    expect(report.findings.map(ids)).toEqual([
      ['cve:CVE-2099-0001', 'cwe:125'],
      ['cve:CVE-2099-0002'],
      ['trivy_misconfiguration_id:DS900'],
      ['trivy_secret_id:example-token'],
    ])
    expect(reasons(report)).toEqual([
      '/Results/0/Vulnerabilities/2: the report says that the product is not affected',
      '/Results/1/Misconfigurations/1: the check passed',
    ])
  })

  test('lists licences and removed findings as skipped', async () => {
    const report = await readText({
      SchemaVersion: 2,
      ArtifactName: '.',
      ArtifactType: 'filesystem',
      Results: [
        { Target: 'a', Class: 'license', Licenses: [{ Name: 'GPL-3.0-only', PkgName: 'readline' }, {}] },
        {
          Target: 'go.mod',
          Class: 'lang-pkgs',
          ExperimentalModifiedFindings: [{ Type: 'vulnerability', Status: 'ignored', Finding: {} }],
        },
      ],
    })
    expect(report).toMatchObject({ findings: [], counts: { read: 3, skipped: 3 }, warnings: [] })
    expect(reasons(report)).toEqual([
      '/Results/0/Licenses/0: a licence is no vulnerability (GPL-3.0-only)',
      '/Results/0/Licenses/1: a licence is no vulnerability',
      '/Results/1/ExperimentalModifiedFindings/0: a rule of the scanner’s configuration took it out (ignored)',
    ])
  })

  test.for([
    ['packages', [{ Class: 'lang-pkgs' }], ['dependency_scanning']],
    ['configuration', [{ Class: 'config', MisconfSummary: { Successes: 3, Failures: 0 } }], ['sast']],
    ['both', [{ Class: 'config' }, { Class: 'lang-pkgs' }], ['dependency_scanning', 'sast']],
    ['secrets', [{ Class: 'secret', Secrets: [{ RuleID: 'x', Severity: 'HIGH' }] }], ['secret_detection']],
    ['licences', [{ Class: 'license', Licenses: [{}] }], []],
    ['nothing', [], ['dependency_scanning']],
    ['a target without a class', [{}], ['dependency_scanning']],
  ] as const)('that scanned %s has those report types', async ([, results, types]) => {
    const report = { SchemaVersion: 2, ArtifactName: '.', ArtifactType: 'filesystem' }
    const { reportType, reportTypes } = await readText({
      ...report,
      Results: results.map((result) => ({ Target: 'a', ...result })),
    })
    expect(reportTypes).toEqual(types)
    expect(reportType).toBe(types[0] ?? 'dependency_scanning')
  })

  test('of an unknown version is rejected', async () => {
    expect(await refusal('{"SchemaVersion":3,"Results":[]}')).toContain('SchemaVersion 3')
  })
})

test('Grype is read as findings in files or images', async () => {
  const report = await readFixture('./grype/fixtures/directory.json')
  expect(report).toMatchObject({
    version: '0.80.0',
    reportType: 'dependency_scanning',
    counts: { read: 3, merged: 0, skipped: 1 },
  })
  expect(report.findings).toMatchObject([
    {
      name: 'GHSA-abcd-1234-efgh in lodash',
      severity: 'critical',
      solution: 'Upgrade lodash to 4.17.21',
      description: 'Prototypes can be changed.',
      location: { file: '/package-lock.json', dependency: { package: { name: 'lodash' }, version: '4.17.20' } },
    },
    { severity: 'info', location: { file: '/src' } },
  ])
  expect(ids(at(report, 0))).toEqual(['ghsa:GHSA-abcd-1234-efgh', 'cve:CVE-2099-0001'])
  expect(reasons(report)).toEqual(['/ignoredMatches/0: a rule of the scanner’s configuration ignores it'])
  const asImage = await readFixture('./grype/fixtures/directory.json', { reportType: 'container_scanning' })
  expect(at(asImage, 0).locationFingerprint).toBe(sha1(':lodash'))
})

test('Semgrep is read as code findings', async () => {
  const report = await readFixture('./semgrep/fixtures/results.json')
  expect(report).toMatchObject({
    version: '1.90.0',
    reportType: 'sast',
    scan: { status: 'success', messages: [{ level: 'warn', value: 'app/odd.py cannot be parsed' }] },
    counts: { read: 3, merged: 0, skipped: 1 },
    warnings: [{ type: 'Scanner', message: 'The scanner warns: app/odd.py cannot be parsed' }],
  })
  expect(at(report, 0)).toMatchObject({
    name: 'injection',
    description: 'User input reaches a query.',
    solution: 'Replace it with: cursor.execute(query, values)',
    severity: 'high',
    confidence: 'high',
    location: { file: 'app/db.py', start_line: 10, end_line: 12 },
    locationFingerprint: sha1('app/db.py:10:12'),
    codeExtract: 'cursor.execute(query % values)',
    links: [{ url: 'https://example.com/rules/injection' }, { url: 'https://example.com/sql' }],
  })
  expect(ids(at(report, 0))).toEqual(['semgrep_id:rules.python.sql.injection', 'cwe:89', 'owasp:A03:2021'])
  expect(at(report, 1)).toMatchObject({ severity: 'low', codeExtract: undefined })
  expect(reasons(report)).toEqual(['/results/1: it is suppressed in the source (nosemgrep)'])
})

describe('gitleaks', () => {
  test('is read as secrets with GitLab’s identity, without the secret in our own texts', async () => {
    const report = await readFixture('./gitleaks/fixtures/version-8.json')
    expect(report).toMatchObject({ version: '8', reportType: 'secret_detection', counts: { read: 2, skipped: 0 } })
    expect(at(report, 0)).toMatchObject({
      uuid: '07dd8f10-7c22-57ca-899c-0ec14f727e84',
      severity: 'critical',
      location: {
        file: 'config/app.yml',
        start_line: 5,
        end_line: 5,
        commit: { sha: '0123456789abcdef0123456789abcdef01234567', message: 'Add configuration' },
      },
    })
    const { rawMetadata: _, ...shown } = at(report, 0)
    expect(JSON.stringify(shown)).not.toContain('not-a-real-token')
    expect(at(report, 1).location).toEqual({ file: 'README', commit: { sha: '0000000' } })
  })

  test('of version 7 gives the same finding', async () => {
    const report = await readFixture('./gitleaks/fixtures/version-7.json')
    expect(report).toMatchObject({ version: '7', findings: [{ uuid: '07dd8f10-7c22-57ca-899c-0ec14f727e84' }] })
  })

  test('without findings is an empty list, or null, which requires report_type', async () => {
    expect(await refusal('[]')).toBe('accepted')
    expect(await refusal('null')).toContain('send report_type=secret_detection')
    expect(await refusal('null', { reportType: 'secret_detection' })).toBe('accepted')
  })
})

test.for([
  ['{"tool":"someone","issues":[]}', 'an object with the keys "tool", "issues"'],
  ['{}', 'an object with no keys'],
  ['[{"a":1}]', 'a list of objects with the keys "a"'],
  ['[[]]', 'a list of something that is no object'],
  ['"text"', 'a string'],
] as const)('%s is rejected as an unknown format', async ([text, what]) => {
  expect(await refusal(text)).toMatch(`This is no report of a known format: it is ${what}. What can be read: GitLab`)
})
