import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { findingUuid, identifierFingerprint, sha1 } from '../../../domain/reports/formats/identity/fingerprints.ts'
import { type Client, formWithFile, type Reply } from '../../../testing/client.ts'
import { onSqlite } from '../../../testing/databases/database.ts'
import { noise } from '../../../testing/hostile/values.ts'
import { entry, sastReport } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})

let projects = 0
const freshProject = () => server.project(`acme/reports-${++projects}`, { maxAbsentPercent: null })

const send = (client: Client, project: TestProject, report: unknown, fields: Record<string, string> = {}) =>
  client.post(
    `/projects/${project.id}/security_reports`,
    formWithFile('file', 'report.json', report instanceof Uint8Array ? report : JSON.stringify(report), fields),
  )

async function listAll(client: Client, path: string): Promise<Reply['body'][]> {
  const rows: Reply['body'][] = []
  for (let page = '1'; page !== ''; ) {
    const reply = await client.get(`${path}${path.includes('?') ? '&' : '?'}per_page=100&page=${page}`)
    expect(reply.status).toBe(200)
    rows.push(...reply.body)
    page = reply.headers['x-next-page'] ?? ''
  }
  return rows
}

const findingsOf = (project: TestProject, query = '') =>
  listAll(server.admin, `/projects/${project.id}/vulnerability_findings${query}`)

describe('a report', () => {
  test('creates findings in order of severity, with scanner and identifiers', async () => {
    const project = await freshProject()
    const report = sastReport([
      entry({ name: 'Weak hash', severity: 'Low', line: 1 }),
      entry({ name: 'SQL injection', severity: 'Critical', line: 2, rule: 'sqli' }),
    ])
    const imported = await send(server.admin, project, report, { commit_sha: 'abc123' })
    expect(imported).toMatchObject({
      status: 201,
      body: {
        project_id: project.id,
        ref: 'main',
        commit_sha: 'abc123',
        format: 'gitlab',
        version: '15.2.1',
        report_type: 'sast',
        scanner: 'Test scanner',
        dry_run: false,
        findings: { read: 2, new: 2, known: 0, returned: 0, gone: 0, merged: 0, skipped: 0, promoted: 0 },
        warnings: [],
      },
    })
    const findings = await findingsOf(project)
    expect(findings).toMatchObject([
      {
        name: 'SQL injection',
        severity: 'critical',
        report_type: 'sast',
        state: 'detected',
        scanner: { external_id: 'test-scanner', name: 'Test scanner', vendor: 'Acme', is_vulnerability_scanner: true },
        identifiers: [{ external_type: 'test_rule', external_id: 'sqli', name: 'Rule sqli', url: null }],
        location: { file: 'src/app.ts', start_line: 2 },
        project: { id: project.id, full_path: `/${project.path_with_namespace}` },
      },
      { name: 'Weak hash', severity: 'low' },
    ])
  })

  test.runIf(onSqlite)(
    'gives findings the fingerprint and uuid of their rule and location, and keeps the original entry',
    async () => {
      const project = await freshProject()
      const finding = entry({ name: 'Weak hash', severity: 'Medium', line: 10 })
      await send(server.admin, project, sastReport([finding]))
      const [listed] = await findingsOf(project)
      const { body } = await server.admin.post(`/projects/${project.id}/vulnerabilities?finding_id=${listed.id}`)
      expect(body.finding.uuid).toBe(listed.uuid)
      // Exact values are tested in fingerprints.test.ts.
      const [rule, place] = [identifierFingerprint('test_rule', 'flaw'), sha1('src/app.ts:10:10')]
      expect(listed.uuid).toBe(findingUuid('sast', rule, place, project.id))
      expect(body.finding.location_fingerprint).toBe(place)
      expect(JSON.parse(body.finding.raw_metadata)).toEqual(finding)
    },
  )

  test.runIf(onSqlite)('sent again changes nothing; a missing finding is absent and can return', async () => {
    const project = await freshProject()
    const [one, two] = [entry({ name: 'One', line: 1 }), entry({ name: 'Two', line: 2, rule: 'b' })]
    const counts = async (entries: object[]) => (await send(server.admin, project, sastReport(entries))).body.findings
    expect(await counts([one, two])).toMatchObject({ new: 2, known: 0, gone: 0, returned: 0 })
    const before = await findingsOf(project)
    expect(await counts([one, two])).toMatchObject({ new: 0, known: 2, gone: 0, returned: 0 })
    expect(await findingsOf(project)).toEqual(before)
    expect(await counts([one])).toMatchObject({ new: 0, known: 1, gone: 1, returned: 0 })
    expect(await findingsOf(project)).toHaveLength(1)
    expect(await counts([one, two])).toMatchObject({ new: 0, known: 1, gone: 0, returned: 1 })
    expect((await findingsOf(project)).map(({ id }) => id)).toEqual(before.map(({ id }) => id))
  })

  test.runIf(onSqlite)('makes nothing absent when its scan failed', async () => {
    const project = await freshProject()
    await send(server.admin, project, sastReport([entry({ line: 1 })]))
    const failed = sastReport([])
    failed.scan.status = 'failure'
    expect((await send(server.admin, project, failed)).body.findings).toMatchObject({ read: 0, gone: 0 })
    expect(await findingsOf(project)).toHaveLength(1)
  })

  test.runIf(onSqlite)('makes nothing absent for another scanner or ref', async () => {
    const project = await freshProject()
    await send(server.admin, project, sastReport([entry({ line: 1 })]))
    const other = sastReport([])
    other.scan.scanner.id = 'another'
    expect((await send(server.admin, project, other)).body.findings.gone).toBe(0)
    expect((await send(server.admin, project, sastReport([]), { ref: 'feature' })).body.findings.gone).toBe(0)
    expect(await findingsOf(project)).toHaveLength(1)
  })

  test.runIf(onSqlite)('of a branch is listed for that branch', async () => {
    const project = await freshProject()
    await send(server.admin, project, sastReport([entry({ name: 'Only there', line: 9 })]), { ref: 'feature/x' })
    expect(await findingsOf(project)).toEqual([])
    expect(await findingsOf(project, '?ref=feature%2Fx')).toMatchObject([{ name: 'Only there' }])
  })

  test.runIf(onSqlite)('returns the same counts in a dry run, which changes nothing', async () => {
    const project = await freshProject()
    const report = sastReport([entry({ line: 1 })])
    const trial = await send(server.admin, project, report, { dry_run: 'true', promote: 'true' })
    expect(trial).toMatchObject({ status: 201, body: { id: null, dry_run: true, findings: { new: 1, promoted: 1 } } })
    expect(await findingsOf(project)).toEqual([])
    expect((await send(server.admin, project, report)).body).toMatchObject({ dry_run: false, findings: { new: 1 } })
  })

  test.runIf(onSqlite)('creates vulnerabilities with promote=true or by the project’s setting', async () => {
    const project = await freshProject()
    const report = sastReport([entry({ line: 1 })])
    expect((await send(server.admin, project, report, { promote: 'true' })).body.findings.promoted).toBe(1)
    expect((await send(server.admin, project, report, { promote: 'true' })).body.findings.promoted).toBe(0)
    const set = await server.admin.put(`/projects/${project.id}`, { promote_vulnerabilities_on_ingestion: true })
    expect(set.status).toBe(200)
    const more = sastReport([entry({ line: 1 }), entry({ name: 'Second', line: 2, rule: 'b' })])
    expect((await send(server.admin, project, more)).body.findings.promoted).toBe(1)
    const { body, headers } = await server.admin.get(`/projects/${project.id}/vulnerabilities`)
    expect(body.map(({ title }: { title: string }) => title).sort()).toEqual(['Flaw', 'Second'])
    expect(headers['x-total']).toBe('2')
  })

  test.runIf(onSqlite)(
    'creates vulnerabilities by the project’s setting on the default branch only, with promote=true on each',
    async () => {
      const project = await freshProject()
      await server.admin.put(`/projects/${project.id}`, { promote_vulnerabilities_on_ingestion: true })
      const promoted = async (line: number, fields: Record<string, string>) =>
        (await send(server.admin, project, sastReport([entry({ line, rule: `rule-${line}` })]), fields)).body.findings
          .promoted
      expect(await promoted(1, { ref: 'topic' })).toBe(0)
      expect(await promoted(1, { ref: 'topic', dry_run: 'true' })).toBe(0)
      expect(await promoted(1, { ref: 'main', dry_run: 'true' })).toBe(1)
      // The merge brings the finding to the default branch.
      expect(await promoted(1, { ref: 'main' })).toBe(1)
      expect(await promoted(2, { ref: 'topic', promote: 'true' })).toBe(1)
      expect(await promoted(3, { ref: 'main', promote: 'false' })).toBe(0)
    },
  )

  test.runIf(onSqlite)('is rejected with a ref or commit of more than 255 characters', async () => {
    const project = await freshProject()
    for (const name of ['ref', 'commit_sha']) {
      expect(await send(server.admin, project, sastReport([]), { [name]: noise(1, 'abcdef', 256) })).toMatchObject({
        status: 400,
        body: { message: { [name]: ['is too long (maximum is 255 characters)'] } },
      })
      expect((await send(server.admin, project, sastReport([]), { [name]: noise(1, 'abcdef', 255) })).status).toBe(201)
    }
  })

  test.runIf(onSqlite)('shortens a very long scanner id', async () => {
    const project = await freshProject()
    const report = sastReport([entry()])
    report.scan.scanner.id = noise(2, 'abcdef')
    expect((await send(server.admin, project, report)).status).toBe(201)
    const [finding] = await findingsOf(project)
    expect(finding.scanner.external_id).toBe(`${noise(2, 'abcdef', 252)}...`)
  })

  test.runIf(onSqlite)('takes its type from report_type, and is rejected when the content contradicts it', async () => {
    const project = await freshProject()
    const report = sastReport([entry({ line: 1 })])
    expect((await send(server.admin, project, report, { report_type: 'sast' })).status).toBe(201)
    expect((await send(server.admin, project, report, { report_type: 'dast' })).status).toBe(400)
    expect(await send(server.admin, project, report, { report_type: 'poetry' })).toMatchObject({
      status: 400,
      body: { error: 'report_type does not have a valid value' },
    })
  })

  test.runIf(onSqlite)(
    'is rejected with strict=true, with pointers to all invalid entries, and changes nothing',
    async () => {
      const project = await freshProject()
      const report = sastReport([entry({ line: 1 }), { ...entry({ line: 2 }), severity: 'BLOCKER', identifiers: [] }])
      const refused = await send(server.admin, project, report, { strict: 'true' })
      expect(refused.status).toBe(400)
      expect(refused.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(
        expect.arrayContaining(['/vulnerabilities/1/severity', '/vulnerabilities/1/identifiers']),
      )
      expect(refused.body.message.base).toHaveLength(refused.body.errors.length)
      expect(await findingsOf(project)).toEqual([])
    },
  )

  test.runIf(onSqlite)('is imported without its invalid entries, which are listed as warnings', async () => {
    const project = await freshProject()
    const report = sastReport([
      { ...entry({ line: 1 }), severity: 'BLOCKER' },
      { ...entry({ line: 2 }), identifiers: [] },
    ])
    const { status, body } = await send(server.admin, project, report)
    expect([status, body.findings]).toMatchObject([201, { read: 2, new: 1, skipped: 1, merged: 0 }])
    expect(body.warnings.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
      '/vulnerabilities/1',
      '/vulnerabilities/0/severity',
      '/vulnerabilities/1/identifiers',
    ])
    expect(body.skipped).toEqual([{ pointer: '/vulnerabilities/1', reason: 'it has no identifier' }])
    expect(await findingsOf(project)).toMatchObject([{ severity: 'unknown' }])
  })

  test.for([
    ['sarif', 'sarif/fixtures/code.sarif', 'sast', { read: 7, new: 5, skipped: 2 }],
    ['cyclonedx', 'cyclonedx/fixtures/bom-1.6.json', 'dependency_scanning', { read: 5, new: 4, skipped: 1 }],
    ['trivy', 'trivy/fixtures/image.json', 'container_scanning', { read: 6, new: 4, skipped: 2 }],
    ['grype', 'grype/fixtures/directory.json', 'dependency_scanning', { read: 3, new: 2, skipped: 1 }],
    ['semgrep', 'semgrep/fixtures/results.json', 'sast', { read: 3, new: 3, skipped: 0 }],
    ['bandit', 'bandit/fixtures/results.json', 'sast', { read: 2, new: 2, skipped: 0 }],
    ['osv-scanner', 'osv-scanner/fixtures/lock-files.json', 'dependency_scanning', { read: 4, new: 3, skipped: 0 }],
    ['checkov', 'checkov/fixtures/frameworks.json', 'sast', { read: 3, new: 3, skipped: 0 }],
    ['snyk', 'snyk/fixtures/project.json', 'dependency_scanning', { read: 4, new: 2, skipped: 1 }],
    ['zap', 'zap/fixtures/site.json', 'dast', { read: 4, new: 2, skipped: 1 }],
    ['nuclei', 'nuclei/fixtures/matches.json', 'dast', { read: 4, new: 4, skipped: 0 }],
    [
      'dependency-check',
      'dependency-check/fixtures/project.json',
      'dependency_scanning',
      { read: 4, new: 4, skipped: 0 },
    ],
    ['gitleaks', 'gitleaks/fixtures/version-8.json', 'secret_detection', { read: 2, new: 2, skipped: 0 }],
  ] as const)(
    'in the format %s is recognised by its content, plain or compressed',
    async ([format, file, type, counts]) => {
      const project = await freshProject()
      const bytes = readFileSync(new URL(`../../../domain/reports/formats/${file}`, import.meta.url))
      const { status, body } = await send(server.admin, project, bytes)
      expect([status, body]).toMatchObject([201, { format, report_type: type, findings: counts }])
      expect(await findingsOf(project)).toHaveLength(counts.new)
      expect((await send(server.admin, project, gzipSync(bytes))).body.findings).toMatchObject({
        new: 0,
        known: counts.new,
      })
    },
  )

  test('of several types makes findings of each type absent', async () => {
    const project = await freshProject()
    const report = JSON.parse(
      readFileSync(new URL('../../../domain/reports/formats/trivy/fixtures/image.json', import.meta.url), 'utf8'),
    )
    await send(server.admin, project, report)
    report.Results[0].Vulnerabilities.length = 1
    report.Results[1].Misconfigurations.length = 0
    report.Results[1].Misconfigurations.push({ ID: 'DS902', Severity: 'LOW', Status: 'FAIL' })
    const { body } = await send(server.admin, project, report)
    expect(body.findings).toMatchObject({ new: 1, known: 2, gone: 2 })
  })

  test.runIf(onSqlite)('of an unknown format is rejected with a list of known formats', async () => {
    const project = await freshProject()
    const { status, body } = await send(server.admin, project, { tool: 'someone', issues: [] })
    expect(status).toBe(400)
    expect(body.errors).toMatchObject([{ type: 'Format', pointer: '' }])
    expect(body.message.base[0]).toMatch(/the keys "tool", "issues".*SARIF 2\.1\.0, CycloneDX/)
  })

  test.runIf(onSqlite)('requires Developer', async () => {
    const project = await freshProject()
    const report = sastReport([])
    expect((await send(server.anonymous, project, report)).status).toBe(401)
    expect((await send(await server.as('outsider', project), project, report)).status).toBe(404)
    expect((await send(await server.as('reporter', project), project, report)).status).toBe(403)
    expect((await send(await server.as('developer', project), project, report)).status).toBe(201)
  })
})

describe('promoting a finding', () => {
  async function withFinding(fields: Parameters<typeof entry>[0] = {}) {
    const project = await freshProject()
    await send(server.admin, project, sastReport([entry({ line: 1, ...fields })]))
    const [finding] = await findingsOf(project)
    return { project, finding }
  }
  const promote = (client: Client, project: TestProject, id: unknown) =>
    client.post(`/projects/${project.id}/vulnerabilities?finding_id=${id}`)
  const refusedText = {
    message: { base: ['finding is not found or is already attached to a vulnerability'] },
  }

  test('creates a vulnerability with the finding’s fields in GitLab’s order', async () => {
    const cwe = { type: 'cwe', name: 'CWE-89', value: '89', url: 'https://cwe.mitre.org/data/definitions/89.html' }
    const { project, finding } = await withFinding({ name: 'SQL injection', severity: 'High', others: [cwe] })
    const maintainer = await server.as('maintainer', project)
    const { status, body } = await promote(maintainer, project, finding.id)
    expect(status).toBe(201)
    expect(body).toMatchObject({
      title: 'SQL injection',
      description: null,
      state: 'detected',
      severity: 'high',
      confidence: 'unknown',
      report_type: 'sast',
      author_id: maintainer.user?.id,
      resolved_on_default_branch: false,
      project_default_branch: 'main',
      dismissed_at: null,
      dismissed_by_id: null,
      resolved_at: null,
      resolved_by_id: null,
      project: { id: project.id, path_with_namespace: project.path_with_namespace },
      finding: { id: finding.id, uuid: finding.uuid, project_fingerprint: finding.uuid, vulnerability_id: body.id },
      scanner: { external_id: 'test-scanner', name: 'Test scanner', vendor: 'Acme' },
      identifiers: [
        { external_type: 'test_rule', external_id: 'flaw', name: 'Rule flaw', url: null },
        { external_type: 'cwe', external_id: '89', name: 'CWE-89', url: cwe.url },
      ],
    })
    expect(Object.keys(body)).toEqual([
      ...['id', 'title', 'description', 'state', 'severity', 'confidence', 'report_type', 'project', 'finding'],
      ...['resolved_on_default_branch', 'project_default_branch', 'author_id', 'resolved_by_id', 'dismissed_by_id'],
      ...['confirmed_by_id', 'created_at', 'updated_at', 'resolved_at', 'dismissed_at', 'confirmed_at'],
      ...[
        'dismissal_reason',
        'dismissed_until',
        'dismissed_until_fixed',
        'dismissal_request_id',
        'severity_overridden',
        'due_on',
        'due_on_overridden',
        'overdue',
        'fix_available_at',
      ],
      ...[
        'cvss_score',
        'epss',
        'kev',
        'priority',
        'auto_resolved',
        'assignee',
        'present_on_default_branch',
        'rule_id',
        'project_archived',
      ],
      ...['web_url', 'tags', 'dismissal_scope', 'ref_dismissals', 'group_rule_id'],
      ...['scanner', 'identifiers'],
    ])
    const list = await maintainer.get(`/projects/${project.id}/vulnerabilities`)
    expect(list.body).toEqual([body])
    expect(list.headers['x-total']).toBe('1')
  })

  test.runIf(onSqlite)('accepts the finding’s uuid, and reads the query, a form or JSON', async () => {
    for (const how of ['query', 'form', 'json'] as const) {
      const { project, finding } = await withFinding()
      const path = `/projects/${project.id}/vulnerabilities`
      const reply =
        how === 'query'
          ? await server.admin.post(`${path}?finding_id=${finding.uuid}`, {})
          : await server.admin.post(
              path,
              how === 'form' ? new URLSearchParams({ finding_id: String(finding.id) }) : { finding_id: finding.id },
            )
      expect(reply.status).toBe(201)
    }
  })

  test('succeeds for one of several concurrent requests', async () => {
    const { project, finding } = await withFinding()
    const replies = await Promise.all([1, 2, 3, 4].map(() => promote(server.admin, project, finding.id)))
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400])
    expect(await promote(server.admin, project, finding.id)).toMatchObject({ status: 400, body: refusedText })
    const { body, headers } = await server.admin.get(`/projects/${project.id}/vulnerabilities`)
    expect([body.length, headers['x-total']]).toEqual([1, '1'])
  })

  test('rejects unknown findings like those of other projects, and invalid ids with another message', async () => {
    const { project } = await withFinding()
    const elsewhere = await withFinding()
    for (const id of [999_999, elsewhere.finding.id, elsewhere.finding.uuid]) {
      expect(await promote(server.admin, project, id)).toMatchObject({ status: 400, body: refusedText })
    }
    for (const id of ['x', '1.5', '99999999999999999999', '']) {
      expect(await promote(server.admin, project, id)).toMatchObject({
        status: 400,
        body: { error: 'finding_id is invalid' },
      })
    }
    expect(await server.admin.post(`/projects/${project.id}/vulnerabilities`)).toMatchObject({
      status: 400,
      body: { error: 'finding_id is missing' },
    })
  })

  test.runIf(onSqlite)('requires Maintainer, or Developer when the operator allows it', async () => {
    const { project, finding } = await withFinding()
    const path = `/projects/${project.id}/vulnerabilities`
    expect(await promote(server.anonymous, project, finding.id)).toMatchObject({ status: 401 })
    expect(await promote(await server.as('outsider', project), project, finding.id)).toMatchObject({
      status: 404,
      body: { message: '404 Project Not Found' },
    })
    for (const role of ['guest', 'reporter', 'developer'] as const) {
      const client = await server.as(role, project)
      expect(await promote(client, project, finding.id)).toMatchObject({
        status: 403,
        body: { message: '403 Forbidden' },
      })
      expect((await client.get(path)).status).toBe(role === 'developer' ? 200 : 403)
    }
    const reader = await server.client(await server.as('maintainer', project), { scopes: ['read_api'] })
    expect(await promote(reader, project, finding.id)).toMatchObject({
      status: 403,
      body: { error: 'insufficient_scope', scope: 'api' },
    })

    const relaxed = await startServer({ settings: { triageRole: 'developer' } })
    const there = await relaxed.project('acme/relaxed')
    const developer = await relaxed.as('developer', there)
    await send(developer, there, sastReport([entry({ line: 1 })]))
    const { body } = await developer.get(`/projects/${there.id}/vulnerability_findings`)
    expect((await promote(developer, there, body[0].id)).status).toBe(201)
  })

  test.runIf(onSqlite)('makes severity and presence follow the default branch', async () => {
    const { project, finding } = await withFinding({ severity: 'Low' })
    const { body } = await promote(server.admin, project, finding.id)
    const current = async () => (await server.admin.get(`/projects/${project.id}/vulnerabilities`)).body
    await send(server.admin, project, sastReport([entry({ line: 1, severity: 'Critical' })]))
    expect(await current()).toMatchObject([{ id: body.id, severity: 'critical', resolved_on_default_branch: false }])
    await send(server.admin, project, sastReport([]))
    expect(await current()).toMatchObject([{ id: body.id, state: 'detected', resolved_on_default_branch: true }])
    await send(server.admin, project, sastReport([entry({ line: 1, severity: 'Critical' })]))
    expect(await current()).toMatchObject([{ id: body.id, resolved_on_default_branch: false }])
  })
})

describe.runIf(onSqlite)('the list of findings', () => {
  test('is filtered by type and severity, in every list syntax', async () => {
    const project = await freshProject()
    const words = ['Info', 'Unknown', 'Low', 'Medium', 'High', 'Critical']
    await send(
      server.admin,
      project,
      sastReport(words.map((severity, index) => entry({ severity, line: index + 1, rule: severity }))),
    )
    const severities = async (query: string) => (await findingsOf(project, query)).map(({ severity }) => severity)
    expect(await severities('')).toEqual(['critical', 'high', 'medium', 'low', 'unknown', 'info'])
    expect(await severities('?severity=low,high')).toEqual(['high', 'low'])
    expect(await severities('?severity[]=info&severity[]=critical')).toEqual(['critical', 'info'])
    expect(await severities('?report_type=dast')).toEqual([])
    expect(await severities('?report_type=sast,dast&scope=all')).toHaveLength(6)
    expect(await severities('?pipeline_id=999999')).toEqual([])
    const wrong = await server.admin.get(`/projects/${project.id}/vulnerability_findings?severity=worst`)
    expect(wrong).toMatchObject({ status: 400, body: { error: 'severity does not have a valid value' } })
  })

  test('is paged without a total', async () => {
    const project = await freshProject()
    await send(server.admin, project, sastReport([1, 2, 3].map((line) => entry({ line, rule: `r${line}` }))))
    const { headers, body } = await server.admin.get(`/projects/${project.id}/vulnerability_findings?per_page=2`)
    expect(body).toHaveLength(2)
    expect(headers['x-total']).toBeUndefined()
    expect(headers['link']).not.toContain('rel="last"')
    expect(headers['x-next-page']).toBe('2')
  })
})
