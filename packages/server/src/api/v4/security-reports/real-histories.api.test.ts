import { existsSync, readFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { beforeAll, describe, expect, test } from 'vitest'
import { severities, severityRanks } from '../../../domain/findings/scales.ts'
import { readWholeReport } from '../../../domain/reports/reader/read-report.ts'
import { formWithFile, type Reply } from '../../../testing/client.ts'
import { isActive, type KnownFlaw, type ProjectModel, startModel } from '../../../testing/models/project-model.ts'
import { data } from '../../../testing/models/report-facts.ts'
import { type Mutation, mutated } from '../../../testing/models/report-mutations.ts'
import { historyOf } from '../../../testing/reports/imports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})

/** Two reports of one project: from two scanners, or in two formats of one scanner. */
const pairs = [
  ['gitlab/sast/project-paysafe-semgrep.json', 'semgrep/dd-many_vulns.json'],
  ['gitlab/sast/project-careerbytecode-semgrep.json', 'sarif/snyk-code-sample.sarif'],
  ['gitlab/sast/parser-example-eslint-14.0.0.json', 'sarif/dd-taint-python-report.sarif'],
  ['gitlab/secret_detection/parser-example-gitleaks.json', 'gitleaks/dd-gitleaks8_many.json'],
  ['gitlab/dependency_scanning/project-depviz-sonatype-15.2.1.json', 'cyclonedx/dd-log4j.json'],
  ['gitlab/container_scanning/cs-analyzer-15-trivy-alpine.json', 'trivy/dd-scheme_2_many_vulns.json'],
  ['gitlab/container_scanning/cs-analyzer-14-grype-dotnet.json', 'grype/dd-same_cve_different_paths.json'],
  ['sarif/codeql-gh-gei-35.sarif', 'gitlab/api_fuzzing/crafted-valid-15.2.1.json'],
] as const
const reports = new URL('reports/', data)

const ownPairs = [
  ['gitlab/fixtures/sast-15.json', 'semgrep/fixtures/results.json'],
  ['sarif/fixtures/code.sarif', 'gitleaks/fixtures/version-8.json'],
  ['trivy/fixtures/image.json', 'cyclonedx/fixtures/bom-1.6.json'],
] as const
const fixtures = new URL('../../../domain/reports/formats/', import.meta.url)

type Sent = [file: 'first' | 'second', ref: string, mutation?: Mutation, promote?: boolean]
type Step = Sent | 'triage' | 'set severities' | 'resolve what goes'

const everyThird = (_: unknown, index: number) => index % 3 === 0
const exceptEveryThird = (_: unknown, index: number) => index % 3 !== 0

const steps: readonly Step[] = [
  ['first', 'main', {}, true],
  ['second', 'main'],
  'triage',
  'set severities',
  ['first', 'main', { lines: 3 }],
  ['first', 'main', { keep: exceptEveryThird, lines: 3 }],
  ['first', 'feature', { lines: 40, severity: true }, true],
  ['second', 'feature', { keep: everyThird }, true],
  ['first', 'main', {}],
  ['first', 'feature', { rename: true }],
  ['first', 'main', { rename: true, lines: 1 }],
  'triage',
  ['first', 'main', { severity: true, words: true }],
  ['second', 'main', { keep: everyThird, words: true }, true],
  ['second', 'main', {}],
  ['second', 'release', { lines: 7, words: true }, true],
  ['second', 'release', { keep: everyThird, severity: true }],
  ['second', 'main', { lines: 7 }, true],
  'resolve what goes',
  ['first', 'main', { keep: () => false }],
  'triage',
  ['second', 'main', { keep: exceptEveryThird, reversed: true, lines: 9 }],
  ['first', 'main', { lines: 2, reversed: true }, true],
  ['second', 'main', { rename: true }],
  ['first', 'feature', { swapped: true, lines: 2 }],
  ['first', 'main', { swapped: true, lines: 2 }],
  ['first', 'main', { unsigned: true }, true],
]

describe.skipIf(!existsSync(reports))('real reports', () => {
  test.for(pairs)('a history of %s and %s equals the model after every step', { timeout: 120_000 }, (pair) =>
    live(reports, pair),
  )
})

describe('reports of this repository', () => {
  test.for(ownPairs)('a history of %s and %s equals the model after every step', { timeout: 60_000 }, (pair) =>
    live(fixtures, pair),
  )
})

let projects = 0

interface Life extends Pick<ProjectModel, 'flaws'> {
  /** A vulnerability that was present only on a branch and is now absent is in no list. */
  ids: Map<KnownFlaw, number>
  compared: Map<KnownFlaw, string>
}

async function live(folder: URL, [first, second]: readonly [string, string]): Promise<void> {
  const project = await server.project(`acme/lived-${++projects}`)
  // The model has no guard.
  await server.admin.put(`/projects/${project.id}`, { max_absent_percent: null })
  const model = startModel(project.id)
  const life: Life = { ...model, ids: new Map(), compared: new Map() }
  const read = (file: string) => {
    // The model does not know suppressions, which `suppressions.db.test.ts` tests.
    const text = readFileSync(new URL(file, folder), 'utf8').replaceAll('"is_ignored": true', '"is_ignored": false')
    return first.includes('container_scanning') ? ofOneImage(text) : text
  }
  const files = { first: read(first), second: read(second) }
  for (const [number, step] of steps.entries()) {
    const at = `step ${number}: ${JSON.stringify(step)}`
    if (step === 'resolve what goes') {
      await server.admin.put(`/projects/${project.id}`, { auto_resolve_vulnerabilities: true })
      model.isAutoResolving = true
    } else if (step === 'triage') await triage(life)
    else if (step === 'set severities') await setSeverities(life)
    else {
      const [file, ref, mutation = {}, promote = false] = step
      await send(project, model, mutated(files[file], mutation), { ref, promote }, at)
    }
    await compare(project, life, at, number === steps.length - 1)
  }
  expect(model.flaws.length).toBeGreaterThan(2)
}

/** Changes reports of two images to reports of one, because a report covers only its own image. */
function ofOneImage(text: string): string {
  const image = 'acme/app:1'
  const report = JSON.parse(text)
  if ('ArtifactName' in report) report.ArtifactName = image
  if (report.source?.target?.userInput) report.source.target.userInput = image
  for (const { location } of report.vulnerabilities ?? []) if (location?.image) location.image = image
  return JSON.stringify(report)
}

/** Dry run, import and identical import: only the import changes data, as the dry run described. */
async function send(
  project: TestProject,
  model: ProjectModel,
  text: string,
  { ref, promote }: { ref: string; promote: boolean },
  at: string,
): Promise<void> {
  // An empty gitleaks report could be of any format.
  const reportType = text.startsWith('[') ? ('secret_detection' as const) : undefined
  const read = await readWholeReport(() => Readable.from([Buffer.from(text)]), { projectId: project.id, reportType })
  if (!('report' in read)) throw new Error(`${at}: ${JSON.stringify(read.problems)}`)
  const expected = model.add(read.report, ref, promote)
  const fields = { ref, promote: `${promote}`, ...(reportType && { report_type: reportType }) }
  const post = (more = {}) =>
    server.admin.post(
      `/projects/${project.id}/security_reports`,
      formWithFile('file', 'report.json', text, { ...fields, ...more }),
    )
  const dryRun = await post({ dry_run: 'true' })
  const sent = await post()
  expect([at, sent.status, sent.body.findings]).toEqual([at, 201, expected])
  expect([at, dryRun.body.findings, dryRun.body.samples]).toEqual([at, expected, sent.body.samples])
  expect((await server.admin.get(`/projects/${project.id}/security_reports/${sent.body.id}`)).body).toEqual(sent.body)
  const again = await post()
  const kept = expected.new + expected.known + expected.returned
  const nothing = { new: 0, known: kept, returned: 0, gone: 0, changed: 0, moved: 0, promoted: 0 }
  expect([at, again.body]).toMatchObject([at, { unchanged: true, findings: nothing }])
  model.add(read.report, ref, promote)
}

const actions = { confirm: 'confirmed', resolve: 'resolved', dismiss: 'dismissed', revert: 'detected' } as const

/** Triages five vulnerabilities, each in a different way. */
async function triage({ flaws, ids }: Life): Promise<void> {
  const does = [undefined, ...Object.entries(actions)]
  for (const [number, flaw] of flaws.entries()) {
    const { vulnerability } = flaw
    const chosen = does[(number + flaws.length) % does.length]
    if (!chosen || !vulnerability) continue
    const [action, state] = chosen
    const { status } = await server.admin.post(`/vulnerabilities/${ids.get(flaw)}/${action}`)
    expect(status).toBe(vulnerability.state === state ? 304 : 201)
    if (vulnerability.state !== state) vulnerability.history.push(`state ${vulnerability.state} ${state}`)
    vulnerability.state = state
  }
}

async function setSeverities({ flaws, ids }: Life): Promise<void> {
  for (const flaw of flaws.filter(everyThird)) {
    const { vulnerability } = flaw
    if (!vulnerability || vulnerability.severity === 'info') continue
    await server.admin.put(`/vulnerabilities/${ids.get(flaw)}/severity`, { severity: 'info' })
    vulnerability.history.push(`severity ${vulnerability.severity} info`)
    Object.assign(vulnerability, { severity: 'info', isSeveritySet: true })
  }
}

/** Returns all lists of the project, and the details of vulnerabilities that should have changed. */
async function compare(project: TestProject, life: Life, at: string, isLast: boolean): Promise<void> {
  const { flaws, ids, compared } = life
  for (const ref of ['main', 'feature', 'release']) {
    const there = flaws.filter(({ isOn }) => isOn.get(ref))
    const rows = await all(`/projects/${project.id}/vulnerability_findings?scope=all&ref=${ref}`)
    expect([at, ref, rows.map(findingFields)]).toEqual([at, ref, worstFirst(there).map(expectedFinding)])
    const vulnerabilities = await all(`/projects/${project.id}/vulnerabilities?ref=${ref}`)
    rememberIds(life, vulnerabilities)
    const promoted = there.filter(({ vulnerability }) => vulnerability)
    expect([at, ref, uuidsOf(vulnerabilities)]).toEqual([at, ref, promoted.map(({ uuid }) => uuid).sort()])
  }
  const listed = await all(`/projects/${project.id}/vulnerabilities?`)
  rememberIds(life, listed)
  const onDefault = flaws.filter(({ vulnerability }) => vulnerability?.isOnDefaultBranch)
  expect([at, uuidsOf(listed)]).toEqual([at, onDefault.map(({ uuid }) => uuid).sort()])
  const ranks = listed.map((row): [number, number] => [severityRanks[row.severity as 'low'], row.id])
  expect(ranks).toEqual(ranks.toSorted(([a, x], [b, y]) => b - a || y - x))

  for (const flaw of flaws) {
    const { uuid, vulnerability, matches, isOn, said } = flaw
    const expected = JSON.stringify([uuid, vulnerability, matches, [...isOn], said.rawMetadata])
    if (!vulnerability || (compared.get(flaw) === expected && !isLast)) continue
    await compareVulnerability(project, flaw, ids.get(flaw), at)
    compared.set(flaw, expected)
  }
  await compareStatistics(project, onDefault, at)
}

async function compareVulnerability(project: TestProject, flaw: KnownFlaw, id: number | undefined, at: string) {
  const { body: row } = await server.admin.get(`/vulnerabilities/${id}`)
  expect([at, vulnerabilityFields(row)]).toEqual([at, expectedVulnerability(flaw)])
  expect([at, (await historyOf(server.admin, row.id)).map(describeEntry)]).toEqual([at, flaw.vulnerability?.history])
  const { body: occurrences } = await server.admin.get(`/vulnerabilities/${id}/occurrences`)
  const isOn = occurrences.map((one: { ref: string; is_present: boolean }) => [one.ref, one.is_present])
  expect([at, Object.fromEntries(isOn)]).toEqual([at, Object.fromEntries(flaw.isOn)])
  const matches = await all(`/projects/${project.id}/vulnerability_findings/${row.finding.id}/matches?`)
  const why = matches.map(({ reason, ref }) => ({ reason, ref }))
  expect([at, flaw.uuid, why.at(0)]).toEqual([at, flaw.uuid, flaw.matches.at(0)])
}

async function compareStatistics(project: TestProject, flaws: readonly KnownFlaw[], at: string): Promise<void> {
  const { body } = await server.admin.get(`/projects/${project.id}/vulnerability_statistics`)
  const held = flaws.flatMap(({ vulnerability }) => vulnerability ?? [])
  const states = ['detected', 'confirmed', 'resolved', 'dismissed'] as const
  for (const severity of severities) {
    const of = held.filter((one) => one.severity === severity)
    const byState = Object.fromEntries(states.map((state) => [state, of.filter((one) => one.state === state).length]))
    const active = of.filter(isActive).length
    const counts = [body.counts[severity], body[severity], body.per_day.at(-1)[severity]]
    expect([at, severity, ...counts]).toEqual([at, severity, byState, active, active])
  }
  expect(body.total).toBe(held.filter(isActive).length)
}

async function all(path: string): Promise<Reply['body'][]> {
  const rows: Reply['body'][] = []
  for (let page = '1'; page !== ''; ) {
    const { status, body, headers } = await server.admin.get(`${path}&per_page=100&page=${page}`)
    expect([path, status]).toEqual([path, 200])
    rows.push(...body)
    page = headers['x-next-page'] ?? ''
  }
  return rows
}

function rememberIds({ flaws, ids }: Life, rows: readonly Reply['body'][]): void {
  for (const row of rows) ids.set(flaws.find(({ uuid }) => uuid === row.finding.uuid) as KnownFlaw, row.id)
}

const uuidsOf = (rows: readonly Reply['body'][]) => rows.map(({ finding }) => finding.uuid).sort()

const shownSeverity = ({ said, vulnerability }: KnownFlaw) =>
  vulnerability?.isSeveritySet ? vulnerability.severity : said.severity

/** Orders equal severities by detection. */
const worstFirst = (flaws: readonly KnownFlaw[]) =>
  flaws.toSorted((a, b) => severityRanks[shownSeverity(b)] - severityRanks[shownSeverity(a)])

const findingFields = (row: Reply['body']) => ({
  uuid: row.uuid,
  name: row.name,
  description: row.description,
  severity: row.severity,
  scanner: row.scanner.external_id,
  location: row.location,
  identifier: row.identifiers[0].external_id,
  state: row.state,
})

const expectedFinding = (flaw: KnownFlaw) => ({
  uuid: flaw.uuid,
  name: flaw.said.name,
  description: flaw.said.description ?? null,
  severity: shownSeverity(flaw),
  scanner: flaw.said.scanner.externalId,
  location: flaw.said.location,
  identifier: flaw.said.identifiers[0].externalId,
  state: flaw.vulnerability?.state ?? 'detected',
})

const vulnerabilityFields = (row: Reply['body']) => ({
  uuid: row.finding.uuid,
  title: row.title,
  severity: row.severity,
  state: row.state,
  isResolvedOnDefaultBranch: row.resolved_on_default_branch,
  raw: row.finding.raw_metadata,
})

const expectedVulnerability = ({ uuid, vulnerability, said }: KnownFlaw) => ({
  uuid,
  title: vulnerability?.title,
  severity: vulnerability?.severity,
  state: vulnerability?.state,
  isResolvedOnDefaultBranch: vulnerability?.isResolvedOnDefaultBranch,
  raw: said.rawMetadata,
})

function describeEntry({ kind, from, to, ref, details }: Reply['body']): string {
  if (kind === 'state' || kind === 'severity') return `${kind} ${from} ${to}`
  return kind === 'matched' ? `matched ${ref} ${details.reason}` : `${kind} ${ref}`
}
