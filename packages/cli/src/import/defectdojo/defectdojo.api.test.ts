import { beforeAll, describe, expect, test } from 'vitest'
import { entry, sastReport } from '../../../../server/src/testing/reports/reports.ts'
import type { TestProject } from '../../../../server/src/testing/server.ts'
import { folder, run } from '../../testing/command-run.ts'
import { type ListeningServer, listeningServer } from '../../testing/listening-server.ts'
import { type SourceReply, startSource } from '../../testing/source-server.ts'

let server: ListeningServer
let projects = 0

beforeAll(async () => {
  server = await listeningServer({ clock: { now: '2026-05-01T10:00:00.000Z' } })
})

/** A finding as DefectDojo returns it. */
const finding = (id: number, fields: object = {}) => ({
  id,
  title: 'Tainted SQL statement',
  severity: 'High',
  description: 'User input reaches a query.',
  mitigation: 'Use parameters.',
  active: true,
  verified: false,
  false_p: false,
  duplicate: false,
  out_of_scope: false,
  risk_accepted: false,
  is_mitigated: false,
  under_review: false,
  static_finding: true,
  file_path: 'src/app.ts',
  line: 10 * id,
  cwe: 89,
  vuln_id_from_tool: 'flaw',
  vulnerability_ids: [],
  accepted_risks: [],
  notes: [],
  tags: ['team-a'],
  endpoints: [],
  created: '2025-11-01T08:00:00Z',
  last_status_update: '2025-12-01T08:00:00Z',
  related_fields: { test: { test_type: { name: 'Semgrep JSON Report' } }, jira: null },
  ...fields,
})

const findings = [
  finding(1, { false_p: true, active: false }),
  finding(2, {
    risk_accepted: true,
    active: false,
    accepted_risks: [
      {
        name: 'Accepted until the rewrite',
        decision_details: 'The database is read only.',
        accepted_by: 'nadia',
        expiration_date: '2026-09-30T00:00:00Z',
        created: '2025-12-24T08:00:00Z',
      },
    ],
    notes: [
      { entry: 'Checked with the team.', author: { username: 'nadia' }, date: '2025-12-23T08:00:00Z', private: false },
      { entry: 'Between us.', author: { username: 'nadia' }, date: '2025-12-23T09:00:00Z', private: true },
    ],
    related_fields: {
      test: { test_type: { name: 'Semgrep JSON Report' } },
      jira: { jira_key: 'ACME-7', url: 'https://jira.example.test/browse/ACME-7' },
    },
  }),
  finding(3, { verified: true }),
  finding(4, { is_mitigated: true, active: false, mitigated: '2026-01-01T08:00:00Z' }),
  finding(5, { duplicate: true, active: false }),
  finding(6, { out_of_scope: true, active: false }),
  finding(7),
]

const report = [1, 2, 3, 4, 6, 7].map((id) => entry({ line: 10 * id, name: 'Tainted SQL' }))

/** The decisions above, in the order of the findings. */
const decisions = [
  ['dismissed', 'false_positive'],
  ['dismissed', 'acceptable_risk'],
  ['confirmed', null],
  ['resolved', null],
  ['dismissed', 'not_applicable'],
  ['detected', null],
]

function dojo(all: readonly object[] = findings, pageSize = 3) {
  return startSource((url, request): SourceReply | undefined => {
    if (request.headers.authorization !== 'Token secret') return { status: 401 }
    if (url.pathname !== '/api/v2/findings/') return undefined
    const offset = Number(url.searchParams.get('offset'))
    // This server returns fewer findings per page than were requested.
    const start = (offset / 100) * pageSize
    const results = all.slice(start, start + pageSize)
    const next = start + pageSize < all.length ? 'http://hidden.invalid/next' : null
    return { body: { count: all.length, next, previous: null, results } }
  })
}

const newProject = () => server.project(`acme/site-${++projects}`)

const importFrom = (project: TestProject, args: readonly string[], env: Record<string, string> = {}) =>
  run(['import', 'defectdojo', '--project', project['path_with_namespace'], ...args], {
    env: { ...server.env, DEFECTDOJO_TOKEN: 'secret', ...env },
  })

async function list(project: TestProject) {
  const { body } = await server.admin.get(`/projects/${project.id}/vulnerabilities?sort=detected_asc&per_page=100`)
  // biome-ignore lint/suspicious/noExplicitAny: the response of a list
  return body as any[]
}

const decisionsOf = async (project: TestProject) => {
  const rows = await list(project)
  const inOrder = rows.toSorted((a, b) => a.finding.location.start_line - b.finding.location.start_line)
  return inOrder.map(({ state, dismissal_reason }) => [state, dismissal_reason])
}

describe('alcove import defectdojo', () => {
  test('prints what would be imported, and changes nothing', async () => {
    const [project, source] = [await newProject(), await dojo()]
    const { code, stdout } = await importFrom(project, ['--from', source.url, '--product', '7', '--dry-run'])
    expect(code).toBe(0)
    expect(stdout).toContain('7 findings of DefectDojo:')
    for (const line of [
      '1  false positive → dismissed, false_positive',
      '1  risk accepted → dismissed, acceptable_risk',
      '1  active, verified → confirmed',
      '1  duplicate → not imported',
      '6 would be created, 0 match findings of the project, 0 unchanged since an earlier import, 1 not imported',
      '1 finding: a duplicate has no counterpart: its original finding is imported (5)',
      '1 finding: private notes are not imported, because every developer would see them (2)',
      '1 finding: not verified: is detected (7)',
      'Nothing was changed.',
    ]) {
      expect(stdout).toContain(line)
    }
    expect(await list(project)).toEqual([])
    expect(source.requests.every((path) => path.includes('test__engagement__product=7&related_fields=true'))).toBe(true)
  })

  test('imports decisions, which the next report of the scanner keeps', async () => {
    const [project, source] = [await newProject(), await dojo()]
    const done = await importFrom(project, ['--from', source.url, '--product', 'Shop API', '--json'])
    expect(JSON.parse(done.stdout)).toMatchObject({ read: 7, skipped: 1, created: 6, applied: 5, dry_run: false })
    expect(source.requests[0]).toContain('test__engagement__product__name=Shop%20API')
    expect(await decisionsOf(project)).toEqual(decisions)
    const accepted = (await list(project)).find(({ dismissal_reason }) => dismissal_reason === 'acceptable_risk')
    expect(accepted).toMatchObject({ dismissed_until: '2026-09-30', tags: ['team-a'], severity: 'high' })
    const notes = await server.admin.get(`/projects/${project.id}/vulnerabilities/${accepted.id}/notes?sort=asc`)
    const texts = notes.body.map(({ body }: { body: string }) => body).join('\n')
    expect(texts).toContain('By nadia on 2025-12-23 in DefectDojo:\n\nChecked with the team.')
    expect(texts).toContain('The database is read only.')
    expect(texts).not.toContain('Between us.')
    const links = await server.admin.get(`/vulnerabilities/${accepted.id}/issue_links`)
    expect(links.body).toMatchObject([{ web_url: 'https://jira.example.test/browse/ACME-7', title: 'ACME-7' }])

    await server.report(project, sastReport(report, 'semgrep'))
    // What was fixed is found again.
    const reopened = decisions.map(([state, reason]) => [state === 'resolved' ? 'detected' : state, reason])
    expect(await decisionsOf(project)).toEqual(reopened)
    const again = await importFrom(project, ['--from', source.url, '--product', '7', '--json'])
    expect(JSON.parse(again.stdout)).toMatchObject({ created: 0, matched: 0, unchanged: 6, applied: 0 })
    expect(await decisionsOf(project)).toEqual(reopened)
  })

  test('imports decisions into the findings of an earlier report', async () => {
    const [project, source] = [await newProject(), await dojo()]
    await server.report(project, sastReport(report, 'semgrep'))
    const before = (await list(project)).map(({ id }) => id)
    const done = await importFrom(project, ['--from', source.url, '--product', '7', '--json'])
    expect(JSON.parse(done.stdout)).toMatchObject({ created: 0, matched: 6, applied: 5 })
    expect(await decisionsOf(project)).toEqual(decisions)
    expect((await list(project)).map(({ id }) => id)).toEqual(before)
  })

  test('imports a file with responses of the API', async () => {
    const project = await newProject()
    const pages = [{ results: findings.slice(0, 2) }, { results: findings.slice(2) }]
    const cwd = await folder({ 'findings.json': JSON.stringify(pages) })
    const args = ['import', 'defectdojo', '--project', project['path_with_namespace'], '--file', 'findings.json']
    const done = await run(args, { env: server.env, cwd })
    expect(done).toMatchObject({ code: 0, stderr: '' })
    expect(await decisionsOf(project)).toEqual(decisions)
  })

  test('repeats requests after a rate limit, a failure and a cut connection', async () => {
    const [project, source] = [await newProject(), await dojo()]
    source.faults.push(
      { status: 429, headers: { 'retry-after': '90' } },
      { status: 503 },
      { cut: true },
      { status: 502, body: 'bad gateway' },
    )
    const done = await importFrom(project, ['--from', source.url, '--product', '7', '--json'])
    expect(done).toMatchObject({ code: 0 })
    expect(JSON.parse(done.stdout)).toMatchObject({ read: 7, created: 6 })
    expect(source.requests).toHaveLength(3 + 4)
  })

  test('imports each finding once when the pages change while they are read', async () => {
    const [project, source] = [await newProject(), await dojo([...findings.slice(0, 3), ...findings.slice(1)])]
    const done = await importFrom(project, ['--from', source.url, '--product', '7', '--json'])
    expect(JSON.parse(done.stdout)).toMatchObject({ read: 7, created: 6 })
  })

  test('names the cause when the source refuses or fails', async () => {
    const [project, source] = [await newProject(), await dojo()]
    const args = ['--from', source.url, '--product', '7']
    expect(await importFrom(project, args, { DEFECTDOJO_TOKEN: 'wrong' })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('DefectDojo rejected the token (401). Check DEFECTDOJO_TOKEN.'),
    })
    expect(await importFrom(project, args, { DEFECTDOJO_TOKEN: '' })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('The token of DefectDojo is missing.'),
    })
    for (const [reply, code, text] of [
      [{ status: 403 }, 2, 'the token may not read /api/v2/findings/'],
      [{ status: 404 }, 2, 'DefectDojo has no /api/v2/findings/ (404)'],
      [{ status: 302, headers: { location: 'http://other.invalid/' } }, 2, 'redirects. Use --from'],
      [{ status: 429, headers: { 'retry-after': '999999' } }, 2, 'allows no request for more than an hour'],
    ] as const) {
      source.faults.push(reply)
      expect(await importFrom(project, args)).toMatchObject({ code, stderr: expect.stringContaining(text) })
    }
    source.faults.push(...Array.from({ length: 50 }, () => ({ status: 500 })))
    expect(await importFrom(project, args)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('DefectDojo cannot serve /api/v2/findings/ (500).'),
    })
    expect(await importFrom(project, ['--from', source.url])).toMatchObject({ code: 2 })
    expect(await importFrom(project, ['--product', '7'])).toMatchObject({ code: 2 })
    expect(await importFrom(project, ['--file', 'missing.json'])).toMatchObject({ code: 2 })
    expect(await list(project)).toEqual([])
  })
})
