import { beforeAll, describe, expect, test } from 'vitest'
import { type Client, formWithFile } from '../../../testing/client.ts'
import { onSqlite } from '../../../testing/databases/database.ts'
import { entry, sastReport } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'

const now = '2026-05-01T10:00:00.000Z'
const clock = { now }
let server: TestServer
let projects = 0

beforeAll(async () => {
  server = await startServer({ clock })
})

const newProject = () => server.project(`acme/site-${++projects}`)

interface Options {
  client?: Client
  dryRun?: boolean
  source?: string
}

async function send(project: TestProject, records: unknown, options: Options = {}) {
  const { client = server.admin, dryRun = false, source = 'defectdojo' } = options
  const batch = JSON.stringify({ source, source_name: 'DefectDojo', records })
  const form = formWithFile('file', 'batch.json', batch, { dry_run: String(dryRun) })
  return client.post(`/projects/${project.id}/imported_findings`, form)
}

/** A flaw in code, as another product names it. */
const code = (id: string, fields: object = {}) => ({
  id,
  name: 'SQL injection',
  severity: 'high',
  report_type: 'sast',
  scanner: { external_id: 'defectdojo-semgrep', name: 'Semgrep (DefectDojo)', vendor: 'DefectDojo' },
  identifiers: [{ external_type: 'rule', external_id: 'flaw', name: 'flaw' }],
  location: { file: 'src/app.ts', start_line: 10 },
  ...fields,
})

/** A flaw in a package. */
const dependency = (id: string, fields: object = {}) => ({
  id,
  name: 'CVE-2099-1',
  report_type: 'dependency_scanning',
  identifiers: [{ external_type: 'cve', external_id: 'CVE-2099-1', name: 'CVE-2099-1' }],
  location: { dependency: { package: { name: 'parser' }, version: '1.0' } },
  package_url: 'pkg:npm/parser@1.0',
  ...fields,
})

const dependencyEntry = (file: string, cve = 'CVE-2099-1', name = 'parser') => ({
  id: `${cve} ${file}`,
  name: `${cve} in ${name}`,
  severity: 'High',
  identifiers: [{ type: 'cve', name: cve, value: cve }],
  location: { file, dependency: { package: { name }, version: '1.0' } },
})

async function list(project: TestProject, query = '') {
  const { body } = await server.admin.get(
    `/projects/${project.id}/vulnerabilities?sort=detected_asc&per_page=100${query}`,
  )
  // biome-ignore lint/suspicious/noExplicitAny: the response of a list
  return body as any[]
}

const decisionsOf = async (project: TestProject) =>
  (await list(project)).map(({ state, dismissal_reason }) => [state, dismissal_reason])

describe('POST /projects/:id/imported_findings', () => {
  test('creates findings with their triage, and changes nothing when it is repeated', async () => {
    const project = await newProject()
    const assignee = await server.as('maintainer', project)
    const record = code('1', {
      url: 'https://dojo.example.test/finding/1',
      state: 'dismissed',
      dismissal_reason: 'acceptable_risk',
      dismissed_until: '2026-09-30',
      comment: 'Behind the proxy.',
      decided_at: '2025-12-24T08:00:00Z',
      decided_by: 'root',
      comments: [{ body: 'Looked at it.', author: 'missing-user', created_at: '2025-12-01T08:00:00Z' }],
      assignee: assignee.user?.username,
      due_on: '2026-10-01',
      tags: ['legacy'],
      links: [{ url: 'https://tracker.example.test/ACME-1', title: 'ACME-1' }],
      detected_at: '2025-11-01T08:00:00Z',
    })
    const first = await send(project, [record])
    expect(first).toMatchObject({ status: 201, body: { created: 1, matched: 0, applied: 1, kept: 0 } })
    const [made] = await list(project)
    expect(made).toMatchObject({
      title: 'SQL injection',
      state: 'dismissed',
      severity: 'high',
      dismissal_reason: 'acceptable_risk',
      dismissed_until: '2026-09-30',
      dismissed_at: '2025-12-24T08:00:00.000Z',
      created_at: '2025-11-01T08:00:00.000Z',
      due_on: '2026-10-01',
      tags: ['legacy'],
      assignee: { username: assignee.user?.username },
    })
    const notes = await server.admin.get(`/projects/${project.id}/vulnerabilities/${made.id}/notes?sort=asc`)
    expect(notes.body.map(({ body, created_at }: { body: string; created_at: string }) => [created_at, body])).toEqual([
      ['2025-12-01T08:00:00.000Z', 'By missing-user on 2025-12-01 in DefectDojo:\n\nLooked at it.'],
      ['2025-12-24T08:00:00.000Z', expect.stringContaining('Behind the proxy.')],
    ])
    const links = await server.admin.get(`/vulnerabilities/${made.id}/issue_links`)
    expect(links.body).toMatchObject([{ web_url: 'https://tracker.example.test/ACME-1', title: 'ACME-1' }])
    const origins = await server.admin.get(`/vulnerabilities/${made.id}/origins`)
    expect(origins.body).toMatchObject([
      {
        source: 'defectdojo',
        source_name: 'DefectDojo',
        source_id: '1',
        source_url: 'https://dojo.example.test/finding/1',
        created: true,
      },
    ])

    const again = await send(project, [record])
    expect(again.body).toMatchObject({ created: 0, matched: 0, unchanged: 1, applied: 0 })
    expect(await list(project)).toEqual([made])
    const notesNow = () => server.admin.get(`/projects/${project.id}/vulnerabilities/${made.id}/notes?sort=asc`)
    expect((await notesNow()).body).toEqual(notes.body)

    const without = await send(project, [{ ...record, comments: [] }])
    expect(without.body.records).toMatchObject([{ outcome: 'matched', missing_comments: 1 }])
    expect((await notesNow()).body).toEqual(notes.body)
  })

  test('counts no comment as missing that has become the comment of a decision', async () => {
    const project = await newProject()
    await send(project, [code('1', { state: 'detected', comment: 'Look at it.' })])
    const decided = await send(project, [code('1', { state: 'confirmed', comment: 'Look at it.' })])
    expect(decided.body.records).toMatchObject([{ decision: 'applied', missing_comments: 0 }])
  })

  test('lists imported findings by their ids in the product', async () => {
    const project = await newProject()
    const place = { location: { file: 'src/app.ts', start_line: 90 } }
    await send(project, [code('b'), code('a', { ...place, name: 'Second' })])
    await send(project, [code('c', { location: { file: 'c.ts', start_line: 1 } })], { source: 'github' })
    const path = `/projects/${project.id}/imported_findings`
    const listed = await server.admin.get(`${path}?source=defectdojo&source_name=DefectDojo&per_page=1&page=2`)
    expect(listed.headers['x-total']).toBe('2')
    const { body: origins } = await server.admin.get(`${path}?source_name=DefectDojo`)
    expect(origins.map((row: { source_id: string }) => row.source_id)).toEqual(['a', 'b', 'c'])
    expect(listed.body).toEqual([origins[1]])
    const [, first] = await list(project)
    expect(origins[0]).toMatchObject({ title: 'Second', vulnerability_id: first.id, created: true })
    expect((await server.admin.get(`${path}?source_name=Other`)).body).toEqual([])
    expect((await server.admin.get(`${path}?source=unknown`)).status).toBe(400)
    expect((await (await server.as('reporter', project)).get(path)).status).toBe(403)
    expect((await (await server.user('outsider')).get(path)).status).toBe(404)
  })

  test.runIf(onSqlite)('applies decisions to the findings of an earlier report', async () => {
    const project = await newProject()
    await server.report(project, [
      entry({ line: 12, name: 'A' }),
      entry({ line: 80, name: 'B' }),
      entry({ file: 'src/other.ts', name: 'C' }),
    ])
    await server.report(
      project,
      sastReport([dependencyEntry('a.lock'), dependencyEntry('b.lock')], 'deps', 'dependency_scanning'),
    )
    const before = await list(project)
    const done = await send(project, [
      code('1', { state: 'dismissed', dismissal_reason: 'false_positive' }),
      code('2', { state: 'confirmed', location: { file: './src/app.ts', start_line: 79 } }),
      dependency('3', { state: 'dismissed', dismissal_reason: 'not_applicable' }),
    ])
    expect(done.body).toMatchObject({ created: 0, matched: 3, applied: 3 })
    expect(done.body.records[2].vulnerability_ids).toHaveLength(2)
    const after = await list(project)
    expect(after.map(({ id }) => id)).toEqual(before.map(({ id }) => id))
    expect(await decisionsOf(project)).toEqual([
      ['dismissed', 'false_positive'],
      ['confirmed', null],
      ['detected', null],
      ['dismissed', 'not_applicable'],
      ['dismissed', 'not_applicable'],
    ])
  })

  test('promotes the finding of an earlier report that awaits promotion', async () => {
    const project = await newProject()
    await server.report(project, [entry({ line: 10 })], { promote: 'false' })
    expect(await list(project)).toEqual([])
    const done = await send(project, [code('1', { state: 'resolved' })])
    expect(done.body).toMatchObject({ created: 0, matched: 1, applied: 1 })
    expect(await decisionsOf(project)).toEqual([['resolved', null]])
  })

  test.runIf(onSqlite)('lets the next report of the scanner adopt what was imported, with every decision', async () => {
    const project = await newProject()
    const dismissed = { state: 'dismissed', dismissal_reason: 'false_positive' }
    await send(project, [
      code('1', dismissed),
      code('2', { state: 'confirmed', location: { file: 'src/app.ts', start_line: 50 } }),
      code('3', {
        ...dismissed,
        name: 'Unknown rule',
        identifiers: [],
        location: { file: 'src/title.ts', start_line: 5 },
      }),
      dependency('4', { state: 'dismissed', dismissal_reason: 'acceptable_risk' }),
      dependency('5', {
        ...dismissed,
        location: { file: 'web/b.lock', dependency: { package: { name: 'other' } } },
        package_url: 'pkg:npm/other@2',
      }),
    ])
    const imported = await list(project)
    expect(imported).toHaveLength(5)
    const report = [
      entry({ line: 13, name: 'Tainted SQL' }),
      entry({ line: 55, name: 'Tainted SQL' }),
      entry({ file: 'src/title.ts', line: 7, name: 'unknown rule', rule: 'named-otherwise' }),
    ]
    const first = await server.report(project, report)
    expect(first.findings).toMatchObject({ new: 0, moved: 3 })
    const lock = [dependencyEntry('package.lock'), dependencyEntry('web/b.lock', 'CVE-2099-1', 'other')]
    await server.report(project, sastReport(lock, 'deps', 'dependency_scanning'), { category: 'web' })
    const adopted = await list(project)
    expect(adopted.map(({ id }) => id)).toEqual(imported.map(({ id }) => id))
    expect(adopted.map(({ state, dismissal_reason }) => [state, dismissal_reason])).toEqual([
      ['dismissed', 'false_positive'],
      ['confirmed', null],
      ['dismissed', 'false_positive'],
      ['dismissed', 'acceptable_risk'],
      ['dismissed', 'false_positive'],
    ])
    expect(adopted.map(({ title }) => title)).toContain('Tainted SQL')
    expect(adopted[0].finding.location).toMatchObject({ start_line: 13 })

    // The report is now known under its own uuids, and another finding of the rule is new.
    await server.report(project, [...report, entry({ line: 300, name: 'Tainted SQL' })])
    const last = await list(project)
    expect(last).toHaveLength(6)
    expect(last.at(-1)).toMatchObject({ state: 'detected' })
    expect(last.slice(0, 5).map(({ state }) => state)).toEqual(adopted.map(({ state }) => state))
  })

  test.runIf(onSqlite)('lets a report of another branch adopt what was imported', async () => {
    const project = await newProject()
    await send(project, [code('1', { state: 'dismissed', dismissal_reason: 'used_in_tests' })])
    await server.report(project, [entry({ line: 10 })], { ref: 'feature' })
    expect(await decisionsOf(project)).toEqual([['dismissed', 'used_in_tests']])
    await server.report(project, [entry({ line: 10 })])
    expect(await decisionsOf(project)).toEqual([['dismissed', 'used_in_tests']])
    expect(await list(project)).toHaveLength(1)
  })

  test('does not mistake one secret for another one in the same file', async () => {
    const project = await newProject()
    const secret = { report_type: 'secret_detection', identifiers: [], name: 'AWS key' }
    await send(project, [code('1', { ...secret, state: 'dismissed', dismissal_reason: 'used_in_tests' })])
    const other = sastReport([entry({ line: 11, name: 'AWS key' })], 'gitleaks', 'secret_detection')
    await server.report(project, other)
    expect(await decisionsOf(project)).toEqual([
      ['dismissed', 'used_in_tests'],
      ['detected', null],
    ])
    const same = sastReport(
      [entry({ line: 11, name: 'AWS key' }), entry({ line: 10, name: 'Key' })],
      'gitleaks',
      'secret_detection',
    )
    await server.report(project, same)
    expect(await list(project)).toHaveLength(2)
  })

  test.runIf(onSqlite)(
    'keeps what users have decided in Alcove, and applies a decision that changed in the product',
    async () => {
      const project = await newProject()
      await server.report(project, [entry({ line: 10 }), entry({ line: 90 })])
      const [one, two] = await list(project)
      await server.admin.post(`/vulnerabilities/${one.id}/confirm`)
      const place = { location: { file: 'src/app.ts', start_line: 90 } }
      const dismissed = { state: 'dismissed', dismissal_reason: 'false_positive' }
      const done = await send(project, [code('1', dismissed), code('2', { ...place, ...dismissed })])
      expect(done.body.records.map(({ decision }: { decision: string }) => decision)).toEqual(['kept', 'applied'])
      expect(await decisionsOf(project)).toEqual([
        ['confirmed', null],
        ['dismissed', 'false_positive'],
      ])
      const changed = await send(project, [code('2', { ...place, state: 'resolved' })])
      expect(changed.body).toMatchObject({ matched: 1, applied: 1 })
      expect((await list(project))[1]).toMatchObject({ id: two.id, state: 'resolved' })
      await server.admin.post(`/vulnerabilities/${two.id}/revert`)
      const kept = await send(project, [code('2', { ...place, ...dismissed, comment: 'Again' })])
      expect(kept.body).toMatchObject({ kept: 1, applied: 0 })
      expect((await list(project))[1]).toMatchObject({ state: 'detected' })
    },
  )

  test.runIf(onSqlite)('requests dismissals that need approval', async () => {
    const project = await newProject()
    await server.admin.put(`/projects/${project.id}/dismissal_approval`, { severity: 'high' })
    const maintainer = await server.as('maintainer', project)
    const done = await send(
      project,
      [
        code('1', { state: 'dismissed', dismissal_reason: 'false_positive' }),
        code('2', { location: { file: 'b.ts', start_line: 1 }, severity: 'low', state: 'dismissed' }),
      ],
      { client: maintainer },
    )
    expect(done.body).toMatchObject({ created: 2, requested: 1, applied: 1 })
    const [high, low] = await list(project)
    expect(high).toMatchObject({ state: 'detected', dismissal_request_id: expect.any(Number) })
    expect(low).toMatchObject({ state: 'dismissed' })
  })

  test.runIf(onSqlite)('attributes decisions to other users only if an administrator imports them', async () => {
    const project = await newProject()
    const author = await server.as('maintainer', project)
    const importer = await server.as('maintainer', project)
    const decided = {
      state: 'dismissed',
      decided_by: author.user?.username,
      decided_at: '2026-01-02T00:00:00Z',
      comment: 'Fine.',
    }
    await send(project, [code('1', decided)], { client: importer })
    await send(project, [code('2', { ...decided, location: { file: 'b.ts', start_line: 1 } })])
    const [one, two] = await list(project)
    expect(one).toMatchObject({ dismissed_by_id: importer.user?.id })
    expect(two).toMatchObject({ dismissed_by_id: author.user?.id })
    const { body } = await server.admin.get(`/vulnerabilities/${one.id}/history?sort=asc`)
    expect(body.find(({ kind }: { kind: string }) => kind === 'state')).toMatchObject({
      comment: `By ${author.user?.username} on 2026-01-02 in DefectDojo:\n\nFine.`,
      details: { imported_from: 'DefectDojo', source_id: '1' },
    })
  })

  test.runIf(onSqlite)('imports a dismissal that has ended as detected, and says so', async () => {
    const project = await newProject()
    const done = await send(project, [
      code('1', { state: 'dismissed', dismissed_until: '2026-04-30', comment: 'Until spring.' }),
      code('2', { location: { file: 'b.ts' }, state: 'dismissed', dismissed_until: '2099-01-01' }),
    ])
    expect(done.body.records.map(({ notes }: { notes: string[] }) => notes)).toEqual([
      ['the dismissal ended on 2026-04-30, so the finding is detected'],
      ['the dismissal until 2099-01-01 ends on 2031-05-01, the latest possible day'],
    ])
    const [one, two] = await list(project)
    expect(one).toMatchObject({ state: 'detected' })
    expect(two).toMatchObject({ state: 'dismissed', dismissed_until: '2031-05-01' })
  })

  test.runIf(onSqlite)('describes an import in a dry run and changes nothing', async () => {
    const project = await newProject()
    await server.report(project, [entry({ line: 10 })])
    const before = await list(project)
    const records = [
      code('1', { state: 'dismissed', assignee: 'missing-user' }),
      code('2', { location: { file: 'b.ts', start_line: 3 } }),
    ]
    const preview = await send(project, records, { dryRun: true })
    expect(preview.body).toMatchObject({ dry_run: true, created: 1, matched: 1, applied: 1 })
    expect(await list(project)).toEqual(before)
    const done = await send(project, records)
    const withoutIds = ({ body }: typeof done) => ({
      ...body,
      dry_run: undefined,
      records: body.records.map((record: object) => ({ ...record, vulnerability_ids: undefined })),
    })
    expect(withoutIds(done)).toEqual(withoutIds(preview))
    expect(done.body.records[0].notes).toEqual([
      'assignee missing-user: is not a user who may triage vulnerabilities of this project',
    ])
  })

  test.runIf(onSqlite)('imports nothing of a batch with an invalid record', async () => {
    const project = await newProject()
    const refused = await send(project, [
      code('1'),
      { ...code('2'), state: 'open', name: 7, links: [{ url: 'javascript:1' }] },
    ])
    expect(refused.status).toBe(400)
    const text = JSON.stringify(refused.body)
    for (const pointer of ['/records/1/state', '/records/1/name', '/records/1/links/0/url'])
      expect(text).toContain(pointer)
    expect(await list(project)).toEqual([])
    expect((await send(project, [code('1'), code('1')])).status).toBe(400)
    expect((await send(project, 'none')).status).toBe(400)
    expect((await send(project, [code('1')], { source: 'unknown' })).status).toBe(400)
    const broken = formWithFile('file', 'batch.json', '{"source":')
    expect((await server.admin.post(`/projects/${project.id}/imported_findings`, broken)).status).toBe(400)
    expect(await list(project)).toEqual([])
  })

  test('refuses times that databases cannot store, and JSON that is too deep', async () => {
    const project = await newProject()
    const late = '9999-12-31T23:59:59-14:00'
    for (const fields of [
      { detected_at: late },
      { detected_at: '0000-01-01' },
      { state: 'confirmed', decided_at: late },
      { due_on: '0000-01-01' },
      { comments: [{ body: 'Seen', created_at: late }] },
      { exact: { created_at: late } },
    ]) {
      expect(await send(project, [code('1', fields)]), JSON.stringify(fields)).toMatchObject({ status: 400 })
    }
    const deep = `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`
    const batch = `{"source":"csv","records":[{"id":"1","name":"X","location":${deep}}]}`
    const form = formWithFile('file', 'batch.json', batch)
    expect((await server.admin.post(`/projects/${project.id}/imported_findings`, form)).status).toBe(400)
    expect(await list(project)).toEqual([])
  })

  test('stores nothing that breaks lists of findings', async () => {
    const project = await newProject()
    const lists = ['links', 'flags', 'assets', 'cvss', 'remediations', 'signatures']
    const incomplete = [{}, { name: 5, url: 'javascript:alert(1)', vendor: 'x', vector: 'y', algorithm: 'a', sha: {} }]
    const extras = { ...Object.fromEntries(lists.map((name) => [name, incomplete])), evidence: { '\0request': 5 } }
    const exact = { details: { 'a\0': { '\ud800': '\0' } }, extras }
    const client = await server.as('maintainer', project)
    const location = { file: 'a.ts', '\0': { '\0': 1 } }
    expect(await send(project, [code('1', { exact, location })], { client })).toMatchObject({ status: 201 })
    const findings = await client.get(`/projects/${project.id}/vulnerability_findings`)
    expect(findings).toMatchObject({
      status: 200,
      body: [{ links: [], assets: [], remediations: [], cvss: [{ vendor: 'x', vector: 'y' }], false_positive: false }],
    })
  })

  test.runIf(onSqlite)('refuses callers who may not triage', async () => {
    const project = await newProject()
    const statuses: number[] = []
    for (const role of ['outsider', 'reporter', 'developer'] as const) {
      statuses.push((await send(project, [code('1')], { client: await server.as(role, project) })).status)
    }
    expect(statuses).toEqual([404, 403, 403])
    const reading = await server.client(await server.as('maintainer', project), { scopes: ['read_api'] })
    expect((await send(project, [code('1')], { client: reading })).status).toBe(403)
    expect(await list(project)).toEqual([])
  })
})
