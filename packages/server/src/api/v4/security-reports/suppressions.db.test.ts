import { beforeAll, describe, expect, test } from 'vitest'
import { type Client, formWithFile } from '../../../testing/client.ts'
import { onSqlite } from '../../../testing/databases/database.ts'
import { historyOf, keepReport, runImport, vulnerabilitiesOf } from '../../../testing/reports/imports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

const clock = { now: '2026-03-01T10:00:00.000Z' }
let server: TestServer
beforeAll(async () => {
  server = await startServer({ clock })
})

let projects = 0
const newProject = () => server.project(`acme/suppressions-${++projects}`, { maxAbsentPercent: null })

/** A Snyk report with a vulnerability and an ignored one, or both without `ignored`. */
function snyk(ignored?: object, severity = 'low') {
  const plain = { title: 'Plain', severity, packageName: 'a', version: '1.0.0', id: 'SNYK-JS-A-1' }
  const other = { ...plain, title: 'Other', packageName: 'b', id: 'SNYK-JS-B-2' }
  const project = { projectName: 'shop', dependencyCount: 2, packageManager: 'npm', displayTargetFile: 'package.json' }
  return ignored
    ? { ...project, vulnerabilities: [plain], filtered: { ignore: [{ ...other, filtered: { ignored: [ignored] } }] } }
    : { ...project, vulnerabilities: [plain, other] }
}

const wontFix = { reason: 'no user input', reasonType: 'wont-fix', expires: '2026-06-30T12:00:00.000Z' }

interface Sending {
  fields?: Record<string, string>
  as?: Client
}

async function send({ id }: TestProject, report: object, { fields = {}, as = server.admin }: Sending = {}) {
  const file = formWithFile('file', 'report.json', JSON.stringify(report), { promote: 'true', ...fields })
  const sent = await as.post(`/projects/${id}/security_reports`, file)
  expect([sent.status, sent.text]).toEqual([201, expect.any(String)])
  return sent.body
}

const other = async (project: TestProject) => (await vulnerabilitiesOf(server, project))['Other in b']
const lastOf = async (id: number) => (await historyOf(server.admin, id)).at(-1)
const none = { reported: 0, changed: 0, ended: 0 }

describe.runIf(onSqlite)('a suppression in a report', () => {
  test('dismisses new and known vulnerabilities with its comment, reason and end', async () => {
    const project = await newProject()
    const dismissed = { state: 'dismissed', dismissal_reason: 'acceptable_risk', dismissed_until: '2026-06-30' }
    const dryRun = await send(project, snyk(wontFix), { fields: { dry_run: 'true' } })
    expect(dryRun).toMatchObject({
      findings: { new: 2, skipped: 0 },
      suppressions: { reported: 1, changed: 1, ended: 0 },
    })
    expect(await vulnerabilitiesOf(server, project)).toEqual({})
    const sent = await send(project, snyk(wontFix))
    expect(sent).toMatchObject({
      findings: { new: 2, promoted: 2 },
      suppressions: { reported: 1, changed: 1 },
      warnings: [],
    })
    const found = await vulnerabilitiesOf(server, project)
    expect(found).toMatchObject({ 'Plain in a': { state: 'detected' }, 'Other in b': dismissed })
    const comment = 'Suppressed by the scanner’s configuration, reported by Snyk: no user input'
    const { id } = found['Other in b']
    expect(await lastOf(id)).toMatchObject({ kind: 'state', to: 'dismissed', comment, author: null })

    const known = await newProject()
    await send(known, snyk())
    expect(await send(known, snyk(wontFix))).toMatchObject({ suppressions: { changed: 1 }, unchanged: false })
    expect(await other(known)).toMatchObject(dismissed)
    const list = `/projects/${known.id}/vulnerabilities?state=dismissed`
    expect((await server.admin.get(list)).headers['x-total']).toBe('1')
  })

  test('is shown with the vulnerability until a user decides', async () => {
    const project = await newProject()
    await send(project, snyk(wontFix))
    const { id } = await other(project)
    const source = async () => (await server.admin.get(`/vulnerabilities/${id}/decision_source`)).body
    expect(await source()).toEqual({
      rule_effects: [],
      rule: null,
      suppression: {
        source: 'by the scanner’s configuration',
        scanner: 'Snyk',
        justification: 'no user input',
        reason: 'acceptable_risk',
        until: '2026-06-30',
      },
    })
    await server.admin.post(`/vulnerabilities/${id}/dismiss`, { comment: 'I agree' })
    expect(await source()).toMatchObject({ suppression: null })
  })

  test('changes nothing when it is reported again, and changes the dismissal when it states something else', async () => {
    const project = await newProject()
    await send(project, snyk(wontFix))
    const { id } = await other(project)
    const before = await historyOf(server.admin, id)
    const again = await send(project, snyk(wontFix))
    expect(again).toMatchObject({ unchanged: true, suppressions: { reported: 1, changed: 0, ended: 0 } })
    expect(await historyOf(server.admin, id)).toEqual(before)
    await send(project, snyk({ reason: 'later', expires: '2026-09-01' }))
    expect(await other(project)).toMatchObject({
      state: 'dismissed',
      dismissal_reason: null,
      dismissed_until: '2026-09-01',
    })
    await send(project, snyk({ reason: 'past', expires: '2026-02-01' }))
    expect(await other(project)).toMatchObject({ state: 'detected', dismissed_until: null })
  })

  test('is reverted when the scanner reports the finding without it, also from a sender without the right', async () => {
    const project = await newProject()
    await send(project, snyk(wontFix))
    const { id } = await other(project)
    const branch = await send(project, snyk(), { fields: { ref: 'feature' } })
    expect(branch.suppressions).toEqual(none)
    expect(await other(project)).toMatchObject({ state: 'dismissed' })
    const dryRun = await send(project, snyk(), { fields: { dry_run: 'true' } })
    expect(dryRun.suppressions).toEqual({ ...none, ended: 1 })
    const maintainer = await server.as('maintainer', project)
    const as = await server.client(maintainer, { scopes: ['write_security_reports'] })
    const sent = await send(project, snyk(), { as, fields: { promote: 'false' } })
    expect(sent.suppressions).toEqual({ ...none, ended: 1 })
    expect(await other(project)).toMatchObject({ state: 'detected', dismissal_reason: null, dismissed_until: null })
    expect(await lastOf(id)).toMatchObject({ to: 'detected', comment: 'Snyk no longer reports it as suppressed' })
    expect((await send(project, snyk())).suppressions).toEqual(none)
    await send(project, snyk(wontFix))
    expect(await other(project)).toMatchObject({ state: 'dismissed' })
  })

  test('leaves what a user has decided', async () => {
    const project = await newProject()
    await send(project, snyk())
    const { id } = await other(project)
    for (const action of ['confirm', 'revert']) {
      const done = await server.admin.post(`/vulnerabilities/${id}/${action}`)
      expect(done.status).toBe(201)
      await send(project, snyk({ reason: action }))
      expect(await other(project)).toMatchObject({ state: action === 'confirm' ? 'confirmed' : 'detected' })
    }
    const taken = await newProject()
    await send(taken, snyk(wontFix))
    const dismissed = await other(taken)
    await server.admin.post(`/vulnerabilities/${dismissed.id}/dismiss`, { comment: 'I agree' })
    await send(taken, snyk())
    expect(await other(taken)).toMatchObject({ state: 'dismissed' })
  })

  test('applies when the finding is promoted later, one at a time or many', async () => {
    const project = await newProject()
    await send(project, snyk(wontFix), { fields: { promote: 'false' } })
    const findings = (await server.admin.get(`/projects/${project.id}/vulnerability_findings?scope=all`)).body
    const suppressed = findings.find(({ name }: { name: string }) => name === 'Other in b')
    const promoted = await server.admin.post(`/projects/${project.id}/vulnerabilities?finding_id=${suppressed.id}`)
    expect(promoted).toMatchObject({ status: 201, body: { state: 'dismissed', dismissed_until: '2026-06-30' } })
    await send(project, snyk())
    expect(await other(project)).toMatchObject({ state: 'detected' })
  })

  test('makes no dismissal that needs approval', async () => {
    const project = await newProject()
    await server.admin.put(`/projects/${project.id}/dismissal_approval`, { severity: 'high' })
    await send(project, snyk(wontFix, 'high'))
    expect(await other(project)).toMatchObject({ state: 'detected' })
    const lower = await newProject()
    await server.admin.put(`/projects/${lower.id}/dismissal_approval`, { severity: 'high' })
    await send(lower, snyk(wontFix, 'low'))
    expect(await other(lower)).toMatchObject({ state: 'dismissed' })
  })

  test('does not apply to a finding that another entry of the report states without it', async () => {
    const project = await newProject()
    const report = snyk(wontFix)
    const [again] = snyk().vulnerabilities.slice(1)
    await send(project, { ...report, vulnerabilities: [...report.vulnerabilities, again] })
    expect(await other(project)).toMatchObject({ state: 'detected' })
    const first = { filtered: {}, ...report, vulnerabilities: [...report.vulnerabilities, again] }
    await send(project, first)
    expect(await other(project)).toMatchObject({ state: 'detected' })
  })
})

describe('the comparison with the target ref', () => {
  /** Compares the default branch with another ref, first by a dry run. */
  async function compare(project: TestProject, report: object, fields: Record<string, string> = {}) {
    const compared = { target_ref: 'release', ...fields }
    const dryRun = await send(project, report, { fields: { ...compared, dry_run: 'true' } })
    const { against } = await send(project, report, { fields: compared })
    const { samples, ...counts } = against
    const named = (finding: { name: string }) => finding.name
    expect(dryRun.against).toMatchObject(counts)
    expect(dryRun.against.samples.new.map(named)).toEqual(samples.new.map(named))
    return { new: against.new, dismissed: against.dismissed, names: samples.new.map(named) }
  }
  const plain = { new: 1, dismissed: 1, names: ['Plain in a'] }
  const both = { new: 2, dismissed: 0, names: ['Plain in a', 'Other in b'] }

  test('counts a finding that the report itself dismisses as dismissed, and not as new', async () => {
    const project = await newProject()
    expect(await compare(project, snyk(wontFix))).toEqual(plain)
    const known = await newProject()
    expect(await compare(known, snyk())).toEqual(both)
    expect(await compare(known, snyk(wontFix))).toEqual(plain)
    expect(await compare(known, snyk(wontFix))).toEqual(plain)
    expect(await compare(known, snyk())).toEqual(both)
  })

  test.runIf(onSqlite)('counts dismissed findings of the default branch itself in no other count', async () => {
    const project = await newProject()
    const dryRun = await send(project, snyk(wontFix), { fields: { dry_run: 'true' } })
    const sent = await send(project, snyk(wontFix))
    const counts = { new: 0, known: 1, dismissed: 1 }
    expect([dryRun.against, sent.against]).toMatchObject([counts, counts])
  })

  test.runIf(onSqlite)('counts a suppressed finding that is not dismissed as new', async () => {
    const unpromoted = await newProject()
    expect(await compare(unpromoted, snyk(wontFix), { promote: 'false' })).toEqual(both)
    const expired = await newProject()
    expect(await compare(expired, snyk({ reason: 'past', expires: '2026-02-01' }))).toEqual(both)
    const approved = await newProject()
    await server.admin.put(`/projects/${approved.id}/dismissal_approval`, { severity: 'low' })
    expect(await compare(approved, snyk(wontFix))).toEqual(both)
    const decided = await newProject()
    await send(decided, snyk())
    for (const action of ['confirm', 'revert']) {
      await server.admin.post(`/vulnerabilities/${(await other(decided)).id}/${action}`)
    }
    expect(await compare(decided, snyk(wontFix))).toEqual(both)
    const twice = await newProject()
    const [again] = snyk().vulnerabilities.slice(1)
    const report = snyk(wontFix)
    expect(await compare(twice, { ...report, vulnerabilities: [...report.vulnerabilities, again] })).toEqual(both)
  })

  test.runIf(onSqlite)('does not count entries of a sender who may not triage', async () => {
    const project = await newProject()
    const maintainer = await server.as('maintainer', project)
    const as = await server.client(maintainer, { scopes: ['write_security_reports'] })
    for (const dry_run of ['true', 'false']) {
      const fields = { promote: 'false', target_ref: 'release', dry_run }
      const sent = await send(project, snyk(wontFix), { as, fields })
      expect(sent.against).toMatchObject({ new: 1, dismissed: 0 })
    }
  })
})

describe('suppressed entries are skipped with a warning', () => {
  const skipped = (why: string, status = 'detected') => ({
    findings: { skipped: 1 },
    suppressions: none,
    warnings: [{ type: 'SuppressionsIgnored', message: expect.stringContaining(why) }],
    status,
  })

  test.runIf(onSqlite)('when the sender may not triage, unless the project accepts their decisions', async () => {
    const project = await newProject()
    const maintainer = await server.as('maintainer', project)
    const as = await server.client(maintainer, { scopes: ['write_security_reports'] })
    for (const dry_run of ['true', 'false']) {
      const sent = await send(project, snyk(wontFix), { as, fields: { promote: 'false', dry_run } })
      expect(sent).toMatchObject(skipped('may not triage', 'done'))
    }
    await server.admin.put(`/projects/${project.id}`, { accept_reporters_files: true })
    const sent = await send(project, snyk(wontFix), { as, fields: { promote: 'false' } })
    expect(sent).toMatchObject({ findings: { skipped: 0, new: 1 }, suppressions: { changed: 1 }, warnings: [] })
  })

  test.runIf(onSqlite)('on other refs than the default branch', async () => {
    const project = await newProject()
    for (const dry_run of ['true', 'false']) {
      const sent = await send(project, snyk(wontFix), { fields: { ref: 'feature', dry_run } })
      expect(sent).toMatchObject(skipped('the default branch main', 'done'))
    }
  })

  test('when the sender loses the right before the import runs', async () => {
    const project = await newProject()
    await send(project, snyk())
    const maintainer = await server.as('maintainer', project)
    const fields = { promote: 'false' }
    const queued = await keepReport(server, project, snyk(wontFix), fields, maintainer)
    const member = `/projects/${project.id}/members/${maintainer.user?.id}`
    await server.admin.put(`/projects/${project.id}`, { default_branch_report_role: 'developer' })
    expect((await server.admin.put(member, { access_level: 30 })).status).toBe(200)
    await runImport(server, queued)
    const done = (await server.admin.get(`/projects/${project.id}/security_reports/${queued}`)).body
    expect(done).toMatchObject(skipped('may not triage', 'done'))
    expect(await other(project)).toMatchObject({ state: 'detected' })
  })
})

const trivyFinding = { VulnerabilityID: 'CVE-2099-1', PkgName: 'a', InstalledVersion: '1', Severity: 'LOW' }
const grypeMatch = { vulnerability: { id: 'CVE-2099-1' }, artifact: { name: 'a', version: '1' } }
const grype = (rule: object) => ({ matches: [], ignoredMatches: [{ ...grypeMatch, appliedIgnoreRules: [rule] }] })
const trivy = (Status: string) => {
  const modified = {
    Type: 'vulnerability',
    Status,
    Statement: 'why',
    Source: '.trivyignore.yaml',
    Finding: trivyFinding,
  }
  const result = { Target: 'package-lock.json', Class: 'lang-pkgs', ExperimentalModifiedFindings: [modified] }
  return { SchemaVersion: 2, ArtifactName: '.', ArtifactType: 'filesystem', Results: [result] }
}
const sarif = (...suppressions: object[]) => {
  const place = { physicalLocation: { artifactLocation: { uri: 'a.ts' }, region: { startLine: 1 } } }
  const result = { ruleId: 'r', message: { text: 'm' }, locations: [place], suppressions }
  return { version: '2.1.0', runs: [{ tool: { driver: { name: 'Lint' } }, results: [result] }] }
}
const semgrep = {
  errors: [],
  paths: {},
  results: [{ check_id: 'r', path: 'a.py', start: { line: 1 }, end: { line: 1 }, extra: { is_ignored: true } }],
}
const checkov = {
  check_type: 'terraform',
  results: {
    failed_checks: [],
    skipped_checks: [
      {
        ...{ check_id: 'CKV_1', check_name: 'Check', file_path: '/a.tf', file_line_range: [1, 2], resource: 'r' },
        check_result: { result: 'SKIPPED', suppress_comment: 'why' },
      },
    ],
  },
}
const dependencyCheck = {
  ...{ reportSchema: '1.1', scanInfo: { engineVersion: '9' } },
  dependencies: [
    { fileName: 'a.jar', filePath: 'a.jar', suppressedVulnerabilities: [{ name: 'CVE-2099-1', notes: 'why' }] },
  ],
}

const inFile = 'Suppressed by the scanner’s configuration, reported by'

test.for([
  ['SARIF', sarif({ kind: 'inSource', justification: 'why' }), 'Suppressed in the source, reported by Lint: why'],
  [
    'SARIF, outside',
    sarif({ kind: 'external', status: 'accepted' }),
    'Suppressed outside the source, reported by Lint',
  ],
  ['Semgrep', semgrep, 'Suppressed in the source, reported by Semgrep'],
  ['Trivy', trivy('ignored'), 'Suppressed by .trivyignore.yaml, reported by Trivy: why'],
  ['Grype', grype({ vulnerability: 'CVE-2099-1', reason: 'why' }), `${inFile} Grype: why`],
  [
    'Grype, VEX',
    grype({ 'vex-status': 'not_affected' }),
    'Suppressed by a VEX document, reported by Grype: not_affected',
  ],
  ['Checkov', checkov, 'Suppressed in the source, reported by Checkov: why'],
  ['Dependency-Check', dependencyCheck, `${inFile} Dependency-Check: why`],
] as const)('a suppressed entry of %s is a dismissed vulnerability', async ([, report, comment]) => {
  const project = await newProject()
  expect(await send(project, report)).toMatchObject({ findings: { new: 1, skipped: 0 }, suppressions: { changed: 1 } })
  const [found] = Object.values(await vulnerabilitiesOf(server, project))
  expect(found).toMatchObject({ state: 'dismissed', dismissal_reason: null, dismissed_until: null })
  expect(await lastOf(found.id)).toMatchObject({ comment })
})

test.runIf(onSqlite).for([
  ['under review', sarif({ kind: 'external', status: 'underReview' })],
  ['rejected', sarif({ kind: 'inSource' }, { kind: 'external', status: 'rejected' })],
  ['expired', sarif({ kind: 'external', properties: { expiryUtc: '2026-02-01T00:00:00Z' } })],
] as const)('a SARIF suppression that is %s does not dismiss', async ([, report]) => {
  const project = await newProject()
  await send(project, report)
  expect(Object.values(await vulnerabilitiesOf(server, project))).toMatchObject([{ state: 'detected' }])
})

test.runIf(onSqlite).for([
  ['a filter by fixes', grype({ 'fix-state': 'not-fixed' })],
  ['data of a distribution', grype({ vulnerability: 'CVE-2099-1', reason: 'DistroPackageFixed' })],
  ['a status under investigation', trivy('under_investigation')],
  ['an end that cannot be read', snyk({ expires: 'soon' })],
] as const)('an entry with %s is skipped as before', async ([, report]) => {
  const project = await newProject()
  expect(await send(project, report)).toMatchObject({ findings: { skipped: 1 }, suppressions: none, warnings: [] })
})
