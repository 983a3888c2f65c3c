import { beforeAll, describe, expect, test } from 'vitest'
import { entry, sastReport } from '../../../../server/src/testing/reports/reports.ts'
import type { TestProject } from '../../../../server/src/testing/server.ts'
import { folder, run } from '../../testing/command-run.ts'
import { type ListeningServer, listeningServer } from '../../testing/listening-server.ts'
import { type SourceReply, startSource } from '../../testing/source-server.ts'

let server: ListeningServer
let projects = 0
const env = { DTRACK_TOKEN: 'secret', GITHUB_TOKEN: 'secret', SECOBSERVE_TOKEN: 'secret' }

beforeAll(async () => {
  server = await listeningServer({ clock: { now: '2026-05-01T10:00:00.000Z' } })
})

const newProject = () => server.project(`acme/app-${++projects}`)

async function importFrom(tool: string, project: TestProject, args: readonly string[]) {
  const path = project['path_with_namespace']
  const done = await run(['import', tool, '--project', path, ...args, '--json'], { env: { ...server.env, ...env } })
  return { ...done, summary: done.code === 0 ? JSON.parse(done.stdout) : undefined }
}

async function list(project: TestProject) {
  const { body } = await server.admin.get(`/projects/${project.id}/vulnerabilities?sort=detected_asc&per_page=100`)
  // biome-ignore lint/suspicious/noExplicitAny: the response of a list
  return body as any[]
}

const decisionsOf = async (project: TestProject) =>
  (await list(project)).map(({ state, dismissal_reason }) => [state, dismissal_reason])

const notesOf = async (project: TestProject, id: number) => {
  const { body } = await server.admin.get(`/projects/${project.id}/vulnerabilities/${id}/notes?sort=asc`)
  return body.map((note: { body: string }) => note.body).join('\n')
}

const dependencyReport = (ids: readonly (readonly [cve: string, name: string, file: string])[]) =>
  sastReport(
    ids.map(([cve, name, file]) => ({
      id: `${cve} ${name} ${file}`,
      name: `${cve} in ${name}`,
      severity: 'High',
      identifiers: [{ type: 'cve', name: cve, value: cve }],
      location: { file, dependency: { package: { name }, version: '1.0' } },
    })),
    'trivy',
    'dependency_scanning',
  )

describe('alcove import dependency-track', () => {
  const project = '7f6c1f5e-0000-4000-8000-000000000000'
  const finding = (number: number, analysis: object = {}) => ({
    component: {
      uuid: `c-${number}`,
      project,
      name: `package-${number}`,
      version: '1.0',
      purl: `pkg:npm/package-${number}@1.0`,
    },
    vulnerability: {
      uuid: `v-${number}`,
      source: 'NVD',
      vulnId: `CVE-2099-${number}`,
      severity: 'HIGH',
      aliases: [{ cveId: `CVE-2099-${number}`, ghsaId: `GHSA-aaaa-bbbb-cc${number}` }],
    },
    analysis: { isSuppressed: false, ...analysis },
    attribution: { analyzerIdentity: 'OSSINDEX_ANALYZER', attributedOn: 1_760_000_000_000 },
  })
  const findings = [
    finding(1, { state: 'NOT_AFFECTED', isSuppressed: true }),
    finding(2, { state: 'FALSE_POSITIVE' }),
    finding(3, { state: 'EXPLOITABLE' }),
    finding(4, { state: 'IN_TRIAGE' }),
    finding(5),
    finding(6, { state: 'NOT_SET', isSuppressed: true }),
    finding(7, { state: 'RESOLVED' }),
  ]
  const analysis = {
    analysisState: 'NOT_AFFECTED',
    analysisJustification: 'PROTECTED_BY_MITIGATING_CONTROL',
    analysisResponse: 'WILL_NOT_FIX',
    analysisDetails: 'The parser is never called.',
    isSuppressed: true,
    analysisComments: [{ timestamp: 1_765_000_000_000, comment: 'Discussed.', commenter: 'nadia' }],
  }
  const dtrack = () =>
    startSource((url, { headers }): SourceReply | undefined => {
      if (headers['x-api-key'] !== 'secret') return { status: 401 }
      if (url.pathname === `/api/v1/finding/project/${project}`) return { body: findings }
      if (url.pathname !== '/api/v1/analysis' || url.searchParams.get('component') !== 'c-1') return undefined
      return { body: analysis }
    })
  const decisions = [
    ['dismissed', 'mitigating_control'],
    ['dismissed', 'false_positive'],
    ['confirmed', null],
    ['detected', null],
    ['detected', null],
    ['dismissed', null],
    ['resolved', null],
  ]
  const report = dependencyReport(
    findings.slice(0, 6).map((_, index) => [`CVE-2099-${index + 1}`, `package-${index + 1}`, 'package-lock.json']),
  )

  test('imports analyses with their comments, which the next report keeps', async () => {
    const [target, source] = [await newProject(), await dtrack()]
    const done = await importFrom('dependency-track', target, ['--from', source.url, '--source-project', project])
    expect(done.summary).toMatchObject({ read: 7, created: 7, applied: 5 })
    expect(done.summary.notes.map(({ note }: { note: string }) => note)).toEqual([
      '“in triage” has no counterpart: is detected',
      'suppressed without a state: has no reason',
    ])
    expect(await decisionsOf(target)).toEqual(decisions)
    const [first] = await list(target)
    const notes = await notesOf(target, first.id)
    expect(notes).toContain('By nadia on 2025-12-06 in Dependency-Track:\n\nDiscussed.')
    expect(notes).toContain('Justification: protected by mitigating control. Response: will not be fixed.')
    expect(notes).toContain('The parser is never called.')
    await server.report(target, report)
    expect(await decisionsOf(target)).toEqual(decisions)
    expect(await list(target)).toHaveLength(7)
  })

  test('imports analyses into the findings of an earlier report', async () => {
    const [target, source] = [await newProject(), await dtrack()]
    await server.report(target, report)
    const args = ['--from', source.url, '--source-project', project]
    const done = await importFrom('dependency-track', target, args)
    expect(done.summary).toMatchObject({ created: 1, matched: 6, applied: 5 })
    expect(await decisionsOf(target)).toEqual(decisions)
  })

  test('imports exported findings', async () => {
    const target = await newProject()
    const cwd = await folder({ 'findings.json': JSON.stringify({ version: '1.3', findings }) })
    const file = ['--project', target['path_with_namespace'], '--file', 'findings.json']
    expect(await run(['import', 'dependency-track', ...file], { env: server.env, cwd })).toMatchObject({ code: 0 })
    expect((await decisionsOf(target)).slice(1)).toEqual(decisions.slice(1))
  })
})

describe('alcove import github', () => {
  const alert = (number: number, fields: object) => ({
    number,
    html_url: `https://github.example.test/acme/shop/security/${number}`,
    created_at: '2025-11-01T08:00:00Z',
    state: 'open',
    ...fields,
  })
  const code = (number: number, fields: object) =>
    alert(number, {
      rule: { id: 'flaw', description: 'Tainted SQL', severity: 'error', security_severity_level: 'high' },
      tool: { name: 'CodeQL' },
      most_recent_instance: { location: { path: 'src/app.ts', start_line: 100 * number, end_line: 100 * number } },
      ...fields,
    })
  const dependabot = (number: number, fields: object) =>
    alert(number, {
      dependency: { package: { ecosystem: 'npm', name: `package-${number}` }, manifest_path: 'package-lock.json' },
      security_advisory: { ghsa_id: `GHSA-${number}`, cve_id: `CVE-2099-${number}`, summary: 'Flaw', severity: 'high' },
      ...fields,
    })
  const dismissed = { state: 'dismissed', dismissed_at: '2026-01-02T08:00:00Z', dismissed_by: { login: 'nadia' } }
  const lists: Readonly<Record<string, readonly object[]>> = {
    'code-scanning': [
      code(1, { ...dismissed, dismissed_reason: "won't fix", dismissed_comment: 'Too old.' }),
      code(2, { ...dismissed, dismissed_reason: 'used in tests' }),
      code(3, {}),
    ],
    dependabot: [
      dependabot(1, { ...dismissed, dismissed_reason: 'not_used' }),
      dependabot(2, { ...dismissed, dismissed_reason: 'fix_started' }),
      dependabot(3, { state: 'fixed', fixed_at: '2026-01-02T08:00:00Z' }),
      dependabot(4, { state: 'auto_dismissed' }),
    ],
    'secret-scanning': [
      alert(1, {
        secret_type: 'acme_token',
        secret_type_display_name: 'Acme token',
        state: 'resolved',
        resolution: 'false_positive',
        resolution_comment: 'An example.',
        resolved_by: { login: 'nadia' },
        resolved_at: '2026-01-02T08:00:00Z',
      }),
      alert(2, { secret_type: 'acme_token', state: 'resolved', resolution: 'revoked' }),
    ],
  }
  const decisions = [
    ['dismissed', 'acceptable_risk'],
    ['dismissed', 'used_in_tests'],
    ['detected', null],
    ['dismissed', 'not_applicable'],
    ['confirmed', null],
    ['resolved', null],
    ['dismissed', null],
    ['dismissed', 'false_positive'],
    ['resolved', null],
  ]
  const github = (off: readonly string[] = []) =>
    startSource((url, { headers }): SourceReply | undefined => {
      if (headers.authorization !== 'Bearer secret') return { status: 401 }
      const [, feature = '', number] =
        /^\/repos\/acme\/shop\/([a-z-]+)\/alerts(?:\/(\d+)\/locations)?$/.exec(url.pathname) ?? []
      if (off.includes(feature)) return { status: 403, body: { message: 'disabled' } }
      if (number) {
        const details = { path: `config-${number}.ts`, start_line: 5, end_line: 5 }
        return { body: [{ type: 'commit', details }] }
      }
      const all = lists[feature]
      if (!all) return undefined
      // Two alerts per page, by a cursor.
      const after = Number(url.searchParams.get('after') ?? 0)
      const next = `<http://${headers.host}${url.pathname}?per_page=100&after=${after + 2}>; rel="next"`
      const isLast = after + 2 >= all.length
      return { body: all.slice(after, after + 2), headers: isLast ? {} : { link: next } }
    })
  const from = (url: string) => ['--from', url, '--repository', 'acme/shop']
  const sendReports = async (project: TestProject) => {
    await server.report(
      project,
      sastReport(
        [1, 2, 3].map((number) => entry({ line: 100 * number })),
        'codeql',
      ),
    )
    await server.report(
      project,
      dependencyReport([1, 2, 4].map((number) => [`CVE-2099-${number}`, `package-${number}`, 'package-lock.json'])),
    )
    const secrets = [entry({ file: 'config-1.ts', line: 5, name: 'Token', rule: 'generic-token' })]
    await server.report(project, sastReport(secrets, 'gitleaks', 'secret_detection'))
  }

  test('imports alerts of all kinds, whose decisions the next reports keep', async () => {
    const [project, source] = [await newProject(), await github()]
    const done = await importFrom('github', project, from(source.url))
    expect(done).toMatchObject({ code: 0, stderr: '', summary: { read: 9, created: 9, applied: 8 } })
    expect(done.summary.notes.map(({ note }: { note: string }) => note)).toEqual([
      '“fix_started” has no counterpart: is confirmed',
      'dismissed by a rule of Dependabot: has no reason',
    ])
    expect(await decisionsOf(project)).toEqual(decisions)
    const [first] = await list(project)
    expect(await notesOf(project, first.id)).toContain('By nadia on 2026-01-02 in GitHub:\n\nToo old.')
    await sendReports(project)
    expect(await decisionsOf(project)).toEqual(decisions)
  })

  test('imports decisions into the findings of earlier reports', async () => {
    const [project, source] = [await newProject(), await github()]
    await sendReports(project)
    const done = await importFrom('github', project, from(source.url))
    expect(done.summary).toMatchObject({ created: 2, matched: 7, applied: 8 })
    const states = (await decisionsOf(project)).map(String).sort()
    expect(states).toEqual(decisions.map(String).sort())
  })

  test('names the features that are off, and waits for the end of a rate limit', async () => {
    const [project, source] = [await newProject(), await github(['secret-scanning'])]
    const limit = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '60' }
    source.faults.push({ status: 403, headers: limit })
    const done = await importFrom('github', project, from(source.url))
    expect(done).toMatchObject({ code: 0, summary: { read: 7 } })
    expect(done.stderr).toContain('Alerts of secret scanning are not imported')
    const none = await github(['code-scanning', 'dependabot', 'secret-scanning'])
    const refused = await importFrom('github', project, from(none.url))
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('The token may not read alerts') })
  })

  test('sends the token to no other address', async () => {
    const [project, other] = [await newProject(), await github()]
    const source = await startSource(() => ({ body: [], headers: { link: `<${other.url}/more>; rel="next"` } }))
    const done = await importFrom('github', project, from(source.url))
    expect(done).toMatchObject({ code: 2, stderr: expect.stringContaining('names a page at another address') })
    expect(other.requests).toEqual([])
  })
})

describe('alcove import secobserve', () => {
  const statuses = ['Open', 'Risk accepted', 'False positive', 'Not affected', 'Not security', 'Resolved', 'Duplicate']
  const observations = [...statuses, 'In review'].map((current_status, index) => ({
    id: index + 1,
    title: 'Tainted SQL',
    current_severity: 'High',
    current_status,
    scanner: 'Semgrep / 1.0',
    parser_data: { name: 'SARIF', type: 'SAST' },
    origin_source_file: 'src/deep/app.ts',
    origin_source_line_start: 100 * (index + 1),
    scanner_observation_id: 'flaw',
    vulnerability_id: '',
    vulnerability_id_aliases: [],
    issue_tracker_issue_url: index === 1 ? 'https://tracker.example.test/1' : null,
    risk_acceptance_expiry_date: current_status === 'Risk accepted' ? '2026-09-30' : null,
    created: '2025-11-01T08:00:00Z',
  }))
  const secobserve = () =>
    startSource((url, { headers }): SourceReply | undefined => {
      if (headers.authorization !== 'APIToken secret') return { status: 401 }
      const id = Number(/^\/api\/observations\/(\d+)\/$/.exec(url.pathname)?.[1])
      if (id) return { body: observations[id - 1] }
      if (url.pathname === '/api/observation_logs/') {
        const isAccepted = url.searchParams.get('observation') === '2'
        const log = {
          status: 'Risk accepted',
          comment: 'Fine.',
          user_full_name: 'Nadia',
          created: '2026-01-02T08:00:00Z',
        }
        return { body: { results: isAccepted ? [log] : [] } }
      }
      if (url.pathname !== '/api/observations/') return undefined
      const page = Number(url.searchParams.get('page'))
      const results = observations
        .slice((page - 1) * 5, page * 5)
        .map((one) => ({ ...one, origin_source_file: 'src/.../app.ts' }))
      return { body: { count: 8, next: page === 1 ? 'http://hidden.invalid/' : null, results } }
    })
  const decisions = [
    ['detected', null],
    ['dismissed', 'acceptable_risk'],
    ['dismissed', 'false_positive'],
    ['dismissed', 'not_applicable'],
    ['dismissed', 'not_applicable'],
    ['resolved', null],
    ['detected', null],
  ]
  const report = sastReport(
    [1, 2, 3, 4, 5, 8].map((id) => entry({ file: 'src/deep/app.ts', line: 100 * id })),
    'semgrep',
  )

  test('imports observations with their logs, whose decisions the next report keeps', async () => {
    const [project, source] = [await newProject(), await secobserve()]
    const done = await importFrom('secobserve', project, ['--from', source.url, '--product', '3'])
    expect(done.summary).toMatchObject({ read: 8, skipped: 1, created: 7, applied: 5 })
    expect(await decisionsOf(project)).toEqual(decisions)
    const accepted = (await list(project))[1]
    expect(accepted).toMatchObject({ dismissed_until: '2026-09-30', dismissed_at: '2026-01-02T08:00:00.000Z' })
    expect(await notesOf(project, accepted.id)).toContain('By Nadia on 2026-01-02 in SecObserve:\n\nFine.')
    await server.report(project, report)
    expect(await decisionsOf(project)).toEqual(decisions)
  })

  test('imports decisions into the findings of an earlier report', async () => {
    const [project, source] = [await newProject(), await secobserve()]
    await server.report(project, report)
    const done = await importFrom('secobserve', project, ['--from', source.url, '--product', '3'])
    expect(done.summary).toMatchObject({ created: 1, matched: 6 })
    const states = (await decisionsOf(project)).map(String).sort()
    expect(states).toEqual(decisions.map(String).sort())
  })
})
