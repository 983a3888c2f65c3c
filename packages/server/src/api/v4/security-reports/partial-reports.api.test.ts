import { beforeAll, describe, expect, test } from 'vitest'
import { formWithFile } from '../../../testing/client.ts'
import { entry, sastReport } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})

// biome-ignore lint/suspicious/noExplicitAny: reports are damaged in ways that their types do not allow
type Loose = any
type Damage = (report: Loose) => unknown

/** A complete report of three findings, and ways to make the first finding or the whole scan unreadable. */
interface Case {
  fields?: Record<string, string>
  complete: () => Loose
  entries: (report: Loose) => Loose[]
  /** By the name of the damage. Changes the report in place, or returns another one. */
  damages: Record<string, Damage>
}

const threeTimes = <T>(make: (number: number) => T): T[] => [1, 2, 3].map(make)

const nothing = Symbol('null')
const tooLarge = 'x'.repeat(4 * 1024 * 1024)

const gitlabOf = (type: string, location: (number: number) => object) => () => {
  const report = sastReport(
    threeTimes((number) => ({ ...entry({ rule: `rule-${number}` }), location: location(number) })),
  )
  report.scan.type = type
  return report
}

const gitlabEntries = {
  'an entry that is no object': (report: Loose) => (report.vulnerabilities[0] = 'text'),
  'an entry that is null': (report: Loose) => (report.vulnerabilities[0] = null),
  'no identifiers': (report: Loose) => delete report.vulnerabilities[0].identifiers,
  'an empty list of identifiers': (report: Loose) => (report.vulnerabilities[0].identifiers = []),
  'a first identifier without a value': (report: Loose) =>
    (report.vulnerabilities[0].identifiers = [
      { type: 'a', name: 'a' },
      { type: 'cwe', name: 'CWE-1', value: '1' },
    ]),
  'a first identifier that is a text': (report: Loose) =>
    (report.vulnerabilities[0].identifiers = ['CVE-2099-1', { type: 'cwe', name: 'CWE-1', value: '1' }]),
  'no location': (report: Loose) => delete report.vulnerabilities[0].location,
  'a location that is a text': (report: Loose) => (report.vulnerabilities[0].location = 'src/app.ts:1'),
  'an empty location': (report: Loose) => (report.vulnerabilities[0].location = {}),
  'an entry of more than 4 MiB': (report: Loose) => (report.vulnerabilities[0].description = tooLarge),
}

const inPackage = (number: number) => ({ package: { name: `package-${number}` }, version: '1.0' })

const sarif = (): Loose => ({
  version: '2.1.0',
  $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
  runs: [
    {
      tool: { driver: { name: 'Lint', rules: threeTimes((number) => ({ id: `rule-${number}` })) } },
      invocations: [{ executionSuccessful: true }],
      results: threeTimes((number) => ({
        ruleId: `rule-${number}`,
        message: { text: `Flaw ${number}` },
        locations: [{ physicalLocation: { artifactLocation: { uri: 'src/app.c' }, region: { startLine: number } } }],
      })),
    },
  ],
})

const sarifPlace = (report: Loose) => report.runs[0].results[0].locations[0].physicalLocation

const semgrep = (): Loose => ({
  version: '1.100.0',
  errors: [],
  paths: { scanned: ['src/app.py'] },
  results: threeTimes((number) => ({
    check_id: `rules.rule-${number}`,
    path: 'src/app.py',
    start: { line: number, col: 1 },
    end: { line: number, col: 9 },
    extra: { message: `Flaw ${number}`, severity: 'ERROR' },
  })),
})

const trivy = (): Loose => ({
  SchemaVersion: 2,
  ArtifactName: 'registry.example.com/app:1.0',
  ArtifactType: 'container_image',
  Results: [
    {
      Target: 'registry.example.com/app:1.0 (debian 12)',
      Class: 'os-pkgs',
      Type: 'debian',
      Vulnerabilities: threeTimes((number) => ({
        VulnerabilityID: `CVE-2099-000${number}`,
        PkgName: `package-${number}`,
        InstalledVersion: '1.0',
        Severity: 'HIGH',
        CweIDs: ['CWE-79'],
      })),
    },
  ],
})

const trivyOfFiles = (): Loose => ({
  SchemaVersion: 2,
  ArtifactName: '.',
  ArtifactType: 'filesystem',
  Results: [
    {
      Target: 'Dockerfile',
      Class: 'config',
      Type: 'dockerfile',
      Misconfigurations: threeTimes((number) => ({
        ID: `DS00${number}`,
        AVDID: `AVD-DS-000${number}`,
        Title: `Flaw ${number}`,
        Severity: 'HIGH',
        Status: 'FAIL',
        CauseMetadata: { StartLine: number, EndLine: number },
      })),
    },
  ],
})

const grype = (): Loose => ({
  source: { type: 'image', target: { userInput: 'registry.example.com/app:1.0' } },
  descriptor: { name: 'grype', version: '0.90.0', db: { status: { valid: true } } },
  matches: threeTimes((number) => ({
    vulnerability: { id: `CVE-2099-000${number}`, severity: 'High', cwes: [{ cwe: 'CWE-79' }] },
    artifact: { name: `package-${number}`, version: '1.0', locations: [{ path: '/lib' }] },
  })),
})

const cyclonedx = (): Loose => ({
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  metadata: { tools: [{ vendor: 'Acme', name: 'bom-scanner' }], component: { type: 'application', name: 'app' } },
  components: threeTimes((number) => ({ type: 'library', 'bom-ref': `ref-${number}`, name: `package-${number}` })),
  vulnerabilities: threeTimes((number) => ({
    id: `CVE-2099-000${number}`,
    cwes: [79],
    ratings: [{ severity: 'high' }],
    affects: [{ ref: `ref-${number}` }],
  })),
})

const gitleaks = (): Loose =>
  threeTimes((number) => ({
    RuleID: `rule-${number}`,
    File: 'config.yml',
    StartLine: number,
    EndLine: number,
    Secret: 'x',
  }))

const cases: Record<string, Case> = {
  'GitLab, SAST': {
    complete: () => sastReport(threeTimes((line) => entry({ line, rule: `rule-${line}` }))),
    entries: (report) => report.vulnerabilities,
    damages: {
      ...gitlabEntries,
      'a line that is an object': (report) => (report.vulnerabilities[0].location.start_line = {}),
      'a file that is a number': (report) =>
        Object.assign(report.vulnerabilities[0], { location: { file: 7 }, tracking: undefined }),
      'a failed scan': (report) => (Object.assign(report, { vulnerabilities: [] }).scan.status = 'failure'),
      'a status in an unknown word': (report) =>
        (Object.assign(report, { vulnerabilities: [] }).scan.status = 'aborted'),
      'a scan of a part': (report) =>
        (Object.assign(report, { vulnerabilities: [] }).scan.partial_scan = { mode: 'differential' }),
      'a fatal message': (report) =>
        (Object.assign(report, { vulnerabilities: [] }).scan.messages = [{ level: 'fatal', value: 'out of memory' }]),
      'rules that cannot be read': (report) =>
        (Object.assign(report, { vulnerabilities: [] }).scan.primary_identifiers = [
          { type: 'test_rule', value: 'x' },
          'rule',
        ]),
    },
  },
  'GitLab, dependency scanning': {
    complete: gitlabOf('dependency_scanning', (number) => ({
      file: 'package-lock.json',
      dependency: inPackage(number),
    })),
    entries: (report) => report.vulnerabilities,
    damages: {
      ...gitlabEntries,
      'no package': (report) => delete report.vulnerabilities[0].location.dependency.package,
      'no file': (report) => delete report.vulnerabilities[0].location.file,
    },
  },
  'GitLab, container scanning': {
    complete: gitlabOf('container_scanning', (number) => ({
      image: 'app:1.0',
      operating_system: 'debian',
      dependency: inPackage(number),
    })),
    entries: (report) => report.vulnerabilities,
    damages: { ...gitlabEntries, 'no image': (report) => delete report.vulnerabilities[0].location.image },
  },
  'GitLab, DAST': {
    complete: gitlabOf('dast', (number) => ({
      hostname: 'https://a.example',
      path: `/${number}`,
      method: 'GET',
      param: 'q',
    })),
    entries: (report) => report.vulnerabilities,
    damages: gitlabEntries,
  },
  SARIF: {
    complete: sarif,
    entries: (report) => report.runs[0].results,
    damages: {
      'results that are null': (report) => (report.runs[0].results = null),
      'no results': (report) => delete report.runs[0].results,
      'results that are an object': (report) => (report.runs[0].results = {}),
      'results in another file': (report) =>
        Object.assign(report.runs[0], {
          results: [],
          externalPropertyFileReferences: { results: [{ location: { uri: 'results.json' }, itemCount: 3 }] },
        }),
      'a part outside of the runs': (report) =>
        Object.assign(report, { inlineExternalProperties: [{ guid: 'a', results: report.runs[0].results.splice(0) }] }),
      'a result that is no object': (report) => (report.runs[0].results[0] = 'text'),
      'a result that is null': (report) => (report.runs[0].results[0] = null),
      'a result of more than 4 MiB': (report) => (report.runs[0].results[0].message.text = tooLarge),
      'a rule that is a number': (report) => (report.runs[0].results[0].ruleId = 7),
      'no rule': (report) => delete report.runs[0].results[0].ruleId,
      'no location': (report) => delete report.runs[0].results[0].locations,
      'locations that are a text': (report) => (report.runs[0].results[0].locations = 'src/app.c:1'),
      'a physical location that is a text': (report) =>
        (report.runs[0].results[0].locations[0].physicalLocation = 'src/app.c'),
      'a file that is a number': (report) => (sarifPlace(report).artifactLocation.uri = 7),
      'a file by an index that is not there': (report) => (sarifPlace(report).artifactLocation = { index: 12 }),
      'a line that is a text': (report) => (sarifPlace(report).region.startLine = '1'),
      'a scan that failed': (report) => {
        report.runs[0].results = []
        report.runs[0].invocations[0].executionSuccessful = false
      },
      'a scan that was killed': (report) => {
        report.runs[0].results = []
        report.runs[0].invocations[0].exitSignalName = 'SIGKILL'
      },
      'an error of the tool': (report) => {
        report.runs[0].results = []
        report.runs[0].invocations[0].toolExecutionNotifications = [{ level: 'error', message: { text: 'no memory' } }]
      },
      'an error of its configuration': (report) => {
        report.runs[0].results = []
        report.runs[0].invocations[0].toolConfigurationNotifications = [
          { level: 'error', message: { text: 'no rule' } },
        ]
      },
    },
  },
  Semgrep: {
    complete: semgrep,
    entries: (report) => report.results,
    damages: {
      'a result that is no object': (report) => (report.results[0] = 7),
      'a result of more than 4 MiB': (report) => (report.results[0].extra.message = tooLarge),
      'no rule': (report) => delete report.results[0].check_id,
      'no path': (report) => delete report.results[0].path,
      'no start': (report) => delete report.results[0].start,
      'a line that is a text': (report) => (report.results[0].start.line = '1'),
      'a fatal error and no results': (report) =>
        Object.assign(report, { results: [], errors: [{ level: 'error', type: 'Fatal error', message: 'no memory' }] }),
      'an error in a file': (report) =>
        Object.assign(report, {
          results: [],
          errors: [{ level: 'warn', type: ['PartialParsing', []], path: 'src/app.py', message: 'syntax' }],
        }),
      'errors that are no list': (report) => Object.assign(report, { results: [], errors: { message: 'no memory' } }),
      'no scanned file': (report) => Object.assign(report, { results: [], paths: { scanned: [] } }),
      'no results and no paths': (report) => Object.assign(report, { results: [], paths: undefined }),
      'no results and no list of scanned files': (report) => Object.assign(report, { results: [], paths: {} }),
      'no results and an unreadable list of scanned files': (report) =>
        Object.assign(report, { results: [], paths: { scanned: 'src' } }),
      'fewer results and no paths': (report) => Object.assign(report, { results: report.results.slice(2), paths: {} }),
      'a skipped file': (report) =>
        Object.assign(report, { results: [], paths: { scanned: ['a.py'], skipped: [{ path: 'src/app.py' }] } }),
      'a skipped rule': (report) =>
        Object.assign(report, { results: report.results.slice(1), skipped_rules: [{ rule_id: 'rules.rule-1' }] }),
    },
  },
  'Trivy, an image': {
    complete: trivy,
    entries: (report) => report.Results[0].Vulnerabilities,
    damages: {
      'an entry that is no object': (report) => (report.Results[0].Vulnerabilities[0] = 'text'),
      'an entry of more than 4 MiB': (report) => (report.Results[0].Vulnerabilities[0].Description = tooLarge),
      'no package': (report) => delete report.Results[0].Vulnerabilities[0].PkgName,
      'no vulnerability': (report) => delete report.Results[0].Vulnerabilities[0].VulnerabilityID,
      'a result that is no object': (report) => (report.Results[0] = 'text'),
      'results that are an object': (report) => (report.Results = {}),
      'no results': (report) => delete report.Results,
      'results that are null': (report) => (report.Results = null),
      'a result without a class': (report) => (report.Results = [{ Target: 'app' }]),
      'a list that is a text': (report) => (report.Results[0].Vulnerabilities = 'none'),
    },
  },
  'Trivy, an image, sent by its type': {
    fields: { report_type: 'container_scanning' },
    complete: trivy,
    entries: (report) => report.Results[0].Vulnerabilities,
    damages: {
      'nothing but configuration files': (report) =>
        (report.Results = [{ Target: 'Dockerfile', Class: 'config', Type: 'dockerfile' }]),
    },
  },
  'Trivy, configuration': {
    complete: trivyOfFiles,
    entries: (report) => report.Results[0].Misconfigurations,
    damages: {
      'an entry that is no object': (report) => (report.Results[0].Misconfigurations[0] = 7),
      'no check': (report) => {
        delete report.Results[0].Misconfigurations[0].ID
        delete report.Results[0].Misconfigurations[0].AVDID
      },
      'a line that is a text': (report) => (report.Results[0].Misconfigurations[0].CauseMetadata.StartLine = '1'),
      'a place that is a text': (report) => (report.Results[0].Misconfigurations[0].CauseMetadata = 'line 1'),
    },
  },
  Grype: {
    complete: grype,
    entries: (report) => report.matches,
    damages: {
      'an entry that is no object': (report) => (report.matches[0] = 'text'),
      'an entry of more than 4 MiB': (report) => (report.matches[0].vulnerability.description = tooLarge),
      'matches that are null': (report) => (report.matches = null),
      'no vulnerability': (report) => delete report.matches[0].vulnerability,
      'a vulnerability without an id': (report) => delete report.matches[0].vulnerability.id,
      'a package without a name': (report) => delete report.matches[0].artifact.name,
      'a package that is a text': (report) => (report.matches[0].artifact = 'openssl'),
      'no valid database': (report) => {
        report.matches = []
        report.descriptor.db.status = { valid: false, error: 'too old' }
      },
    },
  },
  CycloneDX: {
    complete: cyclonedx,
    entries: (report) => report.vulnerabilities,
    damages: {
      'an entry that is no object': (report) => (report.vulnerabilities[0] = 'text'),
      'an entry of more than 4 MiB': (report) => (report.vulnerabilities[0].description = tooLarge),
      'no id': (report) => delete report.vulnerabilities[0].id,
      'no component': (report) => delete report.vulnerabilities[0].affects,
      'an empty list of components': (report) => (report.vulnerabilities[0].affects = []),
      'components that are a text': (report) => (report.vulnerabilities[0].affects = 'ref-1'),
      'a component that is a text': (report) => (report.vulnerabilities[0].affects = ['ref-1']),
      'a component without a reference': (report) => (report.vulnerabilities[0].affects = [{}]),
      'a component that is not listed': (report) => report.components.shift(),
      'an incomplete bill': (report) =>
        Object.assign(report, { vulnerabilities: [], compositions: [{ aggregate: 'incomplete' }] }),
    },
  },
  gitleaks: {
    fields: { report_type: 'secret_detection' },
    complete: gitleaks,
    entries: (report) => report,
    damages: {
      'an entry that is no object': (report) => (report[1] = 'text'),
      'no rule': (report) => delete report[1].RuleID,
      'no file': (report) => delete report[1].File,
      'a line that is a text': (report) => (report[1].StartLine = '2'),
      'the word null': () => nothing,
    },
  },
  'gitleaks, sent without a type': {
    complete: gitleaks,
    entries: (report) => report,
    damages: { 'an empty list': (report) => report.splice(0) },
  },
}

let projects = 0

async function resolvingProject(): Promise<TestProject> {
  const project = await server.project(`acme/partial-${++projects}`, { maxAbsentPercent: null })
  await server.admin.put(`/projects/${project.id}`, { auto_resolve_vulnerabilities: true })
  return project
}

async function listed(project: TestProject) {
  const { body } = await server.admin.get(`/projects/${project.id}/vulnerabilities?per_page=100`)
  const present = await server.admin.get(`/projects/${project.id}/vulnerability_findings?scope=all&per_page=100`)
  return {
    resolved: body.filter((one: Loose) => one.state === 'resolved' || one.resolved_on_default_branch).length,
    present: new Set<string>(present.body.map(({ uuid }: Loose) => uuid)),
  }
}

const damaged = Object.entries(cases).flatMap(([name, { damages }]) =>
  Object.keys(damages).map((what) => [name, what] as const),
)

describe('a partial report', () => {
  test.for(damaged)('of %s with %s makes nothing absent, and warns', async ([name, what]) => {
    const { complete, fields, damages } = cases[name] as Case
    const project = await resolvingProject()
    await server.report(project, JSON.stringify(complete()), fields)
    const before = await listed(project)
    expect(before).toMatchObject({ resolved: 0, present: { size: 3 } })

    const report = complete()
    const other = damages[what]?.(report)
    const sent = other === nothing ? null : report
    const dryRun = await server.report(project, JSON.stringify(sent), { ...fields, dry_run: 'true' })
    const done = await server.report(project, JSON.stringify(sent), fields)
    expect(done.findings.gone).toBe(0)
    expect(done.warnings).toContainEqual(expect.objectContaining({ type: 'Incomplete' }))
    expect([dryRun.findings, dryRun.warnings]).toEqual([done.findings, done.warnings])
    const after = await listed(project)
    expect(after.resolved).toBe(0)
    for (const uuid of before.present) expect(after.present).toContain(uuid)
    expect(await server.report(project, JSON.stringify(sent), fields)).toMatchObject({
      unchanged: true,
      findings: { gone: 0 },
    })

    // A complete report covers the findings again.
    const whole = complete()
    cases[name]?.entries(whole).shift()
    expect((await server.report(project, JSON.stringify(whole), fields)).findings.gone).toBeGreaterThan(0)
  })
})

describe('a complete report', () => {
  test.for(Object.keys(cases))('of %s makes findings absent that it does not contain', async (name) => {
    const { complete, entries, fields } = cases[name] as Case
    const project = await resolvingProject()
    await server.report(project, JSON.stringify(complete()), fields)
    const report = complete()
    entries(report).shift()
    const dryRun = await server.report(project, JSON.stringify(report), { ...fields, dry_run: 'true' })
    const done = await server.report(project, JSON.stringify(report), fields)
    expect(done.findings).toMatchObject({ gone: 1, known: 2 })
    expect(dryRun.findings).toEqual(done.findings)
    expect(done.warnings.filter(({ type }: Loose) => type === 'Incomplete')).toEqual([])
    const { resolved, present } = await listed(project)
    // Secrets never become absent.
    expect([resolved, present.size]).toEqual([name.startsWith('gitleaks') ? 0 : 1, 2])
  })
})

test('an empty report warns how many findings become absent', async () => {
  const project = await resolvingProject()
  await server.report(project, JSON.stringify(sarif()))
  const empty = sarif()
  empty.runs[0].results = []
  const { findings, warnings } = await server.report(project, JSON.stringify(empty))
  expect(findings.gone).toBe(3)
  expect(warnings).toContainEqual({
    type: 'Empty',
    message: 'The report has no findings, so all 3 that it could name are absent now.',
    pointer: '',
  })
})

test('a Semgrep report without results or paths makes findings absent when its sender sets partial=false', async () => {
  const project = await resolvingProject()
  await server.report(project, JSON.stringify(semgrep()))
  const empty = JSON.stringify({ results: [], errors: [] })
  expect((await server.report(project, empty)).findings.gone).toBe(0)
  expect((await server.report(project, empty, { partial: 'false' })).findings.gone).toBe(3)
})

test('Semgrep reports that never list scanned files make findings absent', async () => {
  const project = await resolvingProject()
  const report = { ...semgrep(), paths: undefined }
  await server.report(project, JSON.stringify(report))
  const next = { ...report, results: report.results.slice(1) }
  expect((await server.report(project, JSON.stringify(next))).findings.gone).toBe(1)
})

test('a failed run keeps only findings of its own tool present', async () => {
  const project = await resolvingProject()
  const runs = [sarif().runs[0], sarif().runs[0]]
  runs[1].tool.driver.name = 'Other'
  for (const result of runs[1].results) result.ruleId = `other-${result.ruleId}`
  await server.report(project, { ...sarif(), runs })
  runs[0].results = []
  runs[0].invocations[0].executionSuccessful = false
  runs[1].results = []
  expect((await server.report(project, { ...sarif(), runs })).findings).toMatchObject({ gone: 3 })
})

test('a file that could not be scanned keeps only findings in that file present', async () => {
  const project = await resolvingProject()
  const report = semgrep()
  report.results[2].path = 'src/other.py'
  await server.report(project, JSON.stringify(report))
  const next = { ...report, results: [], errors: [{ level: 'warn', path: 'src/app.py', message: 'syntax' }] }
  const { findings, warnings } = await server.report(project, next)
  expect(findings).toMatchObject({ gone: 1 })
  expect(warnings).toContainEqual(expect.objectContaining({ message: 'Missing findings that keep their state: 2.' }))
})

test('a deliberately skipped entry keeps no finding present', async () => {
  const project = await resolvingProject()
  await server.report(project, JSON.stringify(sarif()))
  const report = sarif()
  report.runs[0].results[0].suppressions = [{ kind: 'inSource' }]
  report.runs[0].results[1].kind = 'pass'
  // With the right to triage, the suppressed entry would be a dismissed finding.
  const maintainer = await server.as('maintainer', project)
  const sender = await server.client(maintainer, { scopes: ['write_security_reports'] })
  const file = formWithFile('file', 'report.sarif', JSON.stringify(report))
  const sent = await sender.post(`/projects/${project.id}/security_reports`, file)
  expect(sent.body.findings).toMatchObject({ gone: 2, skipped: 2 })
})

test('an entry with the same damage in every report keeps findings present only in the first import', async () => {
  const project = await resolvingProject()
  const report = trivy()
  delete report.Results[0].Vulnerabilities[0].PkgName
  await server.report(project, JSON.stringify(report))
  report.Results[0].Vulnerabilities.pop()
  expect((await server.report(project, JSON.stringify(report))).findings).toMatchObject({ gone: 1 })
})
