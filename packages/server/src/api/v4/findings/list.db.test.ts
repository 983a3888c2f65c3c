import { beforeAll, expect, test } from 'vitest'
import { formWithFile } from '../../../testing/client.ts'
import { entry, sastReport } from '../../../testing/reports/reports.ts'
import { insertMadeUp, type MadeUp, usual } from '../../../testing/reports/vulnerabilities.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

let server: TestServer
let project: TestProject

const all: readonly Partial<MadeUp>[] = [
  { title: 'Log4Shell', severity: 'critical', reportType: 'dependency_scanning', identifiers: ['CVE-2021-44228'] },
  { title: 'Token in code', severity: 'high', reportType: 'secret_detection', scanner: 'gitleaks', state: 'confirmed' },
  { state: 'dismissed', file: 'test/hash.ts' },
  { state: 'resolved' },
  { title: 'Only on a branch', refs: ['feature/x'], severity: 'critical' },
  { severity: 'info' },
]

beforeAll(async () => {
  server = await startServer()
  project = await server.project('acme/site')
  const made = all.map((fields, index) => ({ ...usual, ...fields, id: index + 1, projectId: project.id }))
  await insertMadeUp(server.deps.db, made, server.deps.now())
})

test.each([
  ['', [1, 2, 4, 6]],
  ['scope=all', [1, 2, 3, 4, 6]],
  ['state=dismissed', [3]],
  ['state=opened,resolved', [1, 4, 6]],
  ['severity=info,high', [2, 6]],
  ['report_type=secret_detection,dependency_scanning', [1, 2]],
  ['scanner=gitleaks', [2]],
  ['scanner=semgrep&severity=medium&scope=all', [3, 4]],
  ['scanner=nobody', []],
  ['identifier=cve-2021-44228', [1]],
  ['search=hash', [4, 6]],
  ['search=test%2F&scope=all', [3]],
  ['ref=feature%2Fx', [5]],
  ['ref=feature%2Fx&search=hash', []],
  ['ref=feature%2Fx&not_on=main', [5]],
  ['not_on=feature%2Fx', [1, 2, 4, 6]],
  ['not_on=main', []],
  ['search=hash&severity=info&state=detected', [6]],
])(
  'the list of findings with %s returns the matching findings by severity, without a total',
  async (query, expected) => {
    const reply = await server.admin.get(`/projects/${project.id}/vulnerability_findings?${query}`)
    expect(reply.body.map(({ id }: { id: number }) => id)).toEqual(expected)
    expect([reply.headers['x-total'], reply.headers['link']?.includes('rel="last"')]).toEqual([undefined, false])
  },
)

test.each([
  ['state=open', 'state does not have a valid value'],
  ['scope=none', 'scope does not have a valid value'],
  ['not_on=', 'not_on is empty'],
  ['has_resolution=perhaps', 'has_resolution is invalid'],
  ['severity=bad', 'severity does not have a valid value'],
  ['pagination=keyset&cursor=bm9uc2Vuc2U', 'cursor is invalid'],
])('the list of findings rejects %s', async (query, error) => {
  const reply = await server.admin.get(`/projects/${project.id}/vulnerability_findings?${query}`)
  expect(reply).toMatchObject({ status: 400, body: { error } })
})

test('keyset pagination of findings reaches the end of the list', async () => {
  const ids: number[] = []
  let path = `/projects/${project.id}/vulnerability_findings?pagination=keyset&per_page=2&scope=all`
  for (let pages = 0; path !== '' && pages < 5; pages++) {
    const { status, body, headers } = await server.admin.get(path)
    expect([status, headers['x-page']]).toEqual([200, undefined])
    ids.push(...body.map(({ id }: { id: number }) => id))
    path = /<http:\/\/[^/]+\/api\/v4([^>]+)>; rel="next"/.exec(headers['link'] ?? '')?.[1] ?? ''
  }
  expect(ids).toEqual([1, 2, 3, 4, 6])
})

test('findings can be filtered by what the default branch has or had of them, in lists and promotions', async () => {
  const server = await startServer()
  const project = await server.project('acme/branches')
  const [kept, fixed, added] = ['kept', 'fixed', 'added'].map((name, index) => entry({ name, line: 10 * index + 1 }))
  await server.report(project, [kept, fixed], { promote: 'false' })
  await server.report(project, [kept, fixed, added], { promote: 'false', ref: 'feature' })
  await server.report(project, [kept], { promote: 'false' })
  const path = `/projects/${project.id}/vulnerability_findings`
  const names = async (query: string) => {
    const { body } = await server.admin.get(`${path}?${query}`)
    return body.map(({ name }: { name: string }) => name)
  }
  expect(await names('ref=feature')).toEqual(['kept', 'fixed', 'added'])
  expect(await names('ref=feature&present_on_default_branch=true')).toEqual(['kept', 'fixed'])
  expect(await names('ref=feature&present_on_default_branch=false')).toEqual(['added'])
  expect(await names('ref=feature&has_resolution=true')).toEqual(['fixed'])
  expect(await names('ref=feature&has_resolution=false')).toEqual(['kept', 'added'])
  expect(await names('ref=feature&has_resolution=false&present_on_default_branch=true')).toEqual(['kept'])
  expect(await names('present_on_default_branch=true')).toEqual(['kept'])
  expect(await names('present_on_default_branch=false')).toEqual([])
  expect(await names('has_resolution=true')).toEqual([])

  const promoted = await server.admin.post(`/projects/${project.id}/vulnerability_finding_promotions`, {
    filter: { ref: 'feature', present_on_default_branch: false },
  })
  expect(promoted).toMatchObject({ status: 201, body: { total: 1 } })
  expect(await names('ref=feature&has_vulnerability=true')).toEqual(['added'])
})

test('a finding has GitLab’s fields in GitLab’s order, with its description as sanitized HTML', async () => {
  const server = await startServer()
  const reported = await server.project('acme/reported')
  const vector = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H/E:U'
  const description = '**Bold** <script>alert(1)</script>'
  const flaw = { ...entry({ line: 3 }), description, cvss_vectors: [{ vendor: 'NVD', vector }] }
  const imported = await server.report(reported, [flaw], { promote: 'false' })
  const { body } = await server.admin.get(`/projects/${reported.id}/vulnerability_findings`)
  const [finding] = body
  expect(Object.keys(finding)).toEqual([
    ...[
      'id',
      'report_type',
      'name',
      'severity',
      'confidence',
      'scanner',
      'identifiers',
      'uuid',
      'create_jira_issue_url',
    ],
    ...['false_positive', 'vulnerability_id', 'create_vulnerability_feedback_issue_path'],
    ...['create_vulnerability_feedback_merge_request_path', 'create_vulnerability_feedback_dismissal_path', 'project'],
    ...['dismissal_feedback', 'issue_feedback', 'merge_request_feedback', 'state_transitions', 'issue_links'],
    ...['external_issue_links', 'merge_request_links', 'description', 'description_html', 'links', 'location'],
    ...['remediations', 'solution', 'evidence', 'request', 'response', 'evidence_source', 'supporting_messages'],
    ...['assets', 'details', 'state', 'scan', 'blob_path', 'found_by_pipeline', 'ai_resolution_enabled'],
    ...['cvss', 'package_url', 'web_url', 'fix_available'],
  ])
  expect(finding.description_html).toContain('<strong>Bold</strong>')
  expect(finding.description_html).not.toContain('<script>')
  expect(finding).toMatchObject({
    scan: { type: 'sast', status: 'succeeded', start_time: null, end_time: null },
    found_by_pipeline: { iid: imported.id },
    cvss: [{ vendor: 'NVD', vector, version: '3.1', base_score: 9.8, overall_score: 9, severity: 'critical' }],
  })
})

test('a finding shows the state transitions and issue links of its vulnerability', async () => {
  const server = await startServer()
  const project = await server.project('acme/triaged')
  await server.report(project, [entry()])
  const list = () => server.admin.get(`/projects/${project.id}/vulnerability_findings`)
  const [before] = (await list()).body
  expect(before).toMatchObject({ state: 'detected', state_transitions: [], issue_links: [] })
  const path = `/vulnerabilities/${before.vulnerability_id}`
  expect((await server.admin.post(`${path}/confirm`, { comment: 'real' })).status).toBe(201)
  expect((await server.admin.post(`${path}/resolve`)).status).toBe(201)
  const url = 'https://tracker.example.test/issues/17'
  expect((await server.admin.post(`${path}/issue_links`, { url })).status).toBe(201)
  const [after] = (await list()).body
  expect(after).toMatchObject({
    state: 'resolved',
    state_transitions: [
      { from_state: 'detected', to_state: 'confirmed', comment: 'real', author: { username: 'root' } },
      { from_state: 'confirmed', to_state: 'resolved', comment: null, dismissal_reason: null },
    ],
    issue_links: [{ issue_iid: 17, issue_url: url, link_type: 'related', author: { username: 'root' } }],
  })
})

test('the list of findings uses the severity set by a user instead of the reported one', async () => {
  // The inserted rows use ids that PostgreSQL's sequence would assign.
  const server = await startServer()
  const other = await server.project('acme/overridden')
  const send = (severities: Record<string, string>, fields: Record<string, string> = {}) => {
    const entries = Object.entries(severities).map(([name, severity], line) =>
      entry({ name, severity, line: line + 1, rule: name }),
    )
    const file = formWithFile('file', 'report.json', JSON.stringify(sastReport(entries)), {
      promote: 'true',
      ...fields,
    })
    return server.admin.post(`/projects/${other.id}/security_reports`, file)
  }
  const listed = async (query = '') => {
    const { body } = await server.admin.get(`/projects/${other.id}/vulnerability_findings?${query}`)
    return body.map(({ name, severity }: { name: string; severity: string }) => `${name} ${severity}`)
  }
  await send({ A: 'High', B: 'Medium' })
  const { body } = await server.admin.get(`/projects/${other.id}/vulnerabilities`)
  const [a, b] = ['A', 'B'].map((title) => body.find((one: { title: string }) => one.title === title).id)

  await server.admin.put(`/vulnerabilities/${b}/severity`, { severity: 'critical' })
  expect(await listed()).toEqual(['B critical', 'A high'])
  expect([await listed('severity=critical'), await listed('severity=medium')]).toEqual([['B critical'], []])
  expect(await listed('severity=critical,high&search=b')).toEqual(['B critical'])

  // A report with another content, and one for a branch.
  await send({ A: 'Medium', B: 'Low' })
  expect(await listed()).toEqual(['B critical', 'A medium'])
  await send({ A: 'Medium', B: 'Low' }, { ref: 'feature' })
  expect(await listed('ref=feature')).toEqual(['B critical', 'A medium'])

  await server.admin.delete(`/vulnerabilities/${b}/severity`)
  expect([await listed(), await listed('ref=feature')]).toEqual([
    ['A medium', 'B low'],
    ['A medium', 'B low'],
  ])

  const bulk = { action: 'severity', severity: 'info', vulnerability_ids: [a, b] }
  expect((await server.admin.post(`/projects/${other.id}/vulnerabilities/bulk`, bulk)).status).toBe(201)
  expect(await listed()).toEqual(['A info', 'B info'])
})
