import type { Sql } from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import { expireExports } from '../../../domain/exports/exports.ts'
import { deleteMarkedObjects } from '../../../domain/files/pending-deletions.ts'
import { runDueJobs } from '../../../domain/jobs/run-jobs.ts'
import { removeOrphanedObjects } from '../../../domain/removal/orphan-cleanup.ts'
import { jobKinds } from '../../../jobs.ts'
import type { Bytes } from '../../../platform/object-store/bytes.ts'
import { openMemoryStore } from '../../../platform/object-store/memory.ts'
import type { Client } from '../../../testing/client.ts'
import { onSqlite } from '../../../testing/databases/database.ts'
import { entry, sastReport } from '../../../testing/reports/reports.ts'
import { startServer, type TestOptions, type TestProject, type TestServer } from '../../../testing/server.ts'
import { faultyStore, hang } from '../../../testing/stand-ins/faulty-store.ts'

const start = '2026-05-01T10:20:30.000Z'
const later = (seconds: number) => new Date(Date.parse(start) + seconds * 1000).toISOString()

async function world(options: TestOptions = {}) {
  const clock = { now: start }
  const server = await startServer({ clock, ...options })
  const project = await server.project('acme/site')
  return { clock, server, project }
}

const flaws = (...names: string[]) => names.map((name, line) => entry({ name, line: line + 1, rule: name }))

const ask = (client: Client, project: TestProject, input: object = {}) =>
  client.post(`/security/projects/${project.id}/vulnerability_exports`, input)

const read = (client: Client, id: number) => client.get(`/security/vulnerability_exports/${id}`)
const download = (client: Client, id: number) => client.get(`/security/vulnerability_exports/${id}/download`)

/** Creates an export, waits for it and downloads it. */
async function exported(server: TestServer, project: TestProject, input: object = {}) {
  const requested = await ask(server.admin, project, input)
  expect([requested.status, requested.text]).toEqual([201, expect.any(String)])
  await server.runJobs()
  return download(server.admin, requested.body.id)
}

/** Fails the store after this number of lines. */
async function* stopAfter(body: Bytes, lines: number, act: () => void | Promise<void>): AsyncIterable<Buffer> {
  let passed = 0
  let hasStopped = false
  for await (const chunk of body) {
    passed += chunk.toString().split('\n').length - 1
    yield chunk
    if (hasStopped || passed < lines) continue
    hasStopped = true
    await act()
  }
}

const objectsOf = async (server: TestServer) => {
  const keys: string[] = []
  for await (const { key } of server.deps.objects.list('files/')) keys.push(key)
  return keys
}

describe('an export', () => {
  test.runIf(onSqlite)('is created by request, written by a job, and downloaded in GitLab’s format', async () => {
    const { clock, server, project } = await world()
    await server.report(project, flaws('one', 'two, with comma'))
    const requested = await ask(server.admin, project)
    const { id } = requested.body
    const self = `http://localhost:80/api/v4/security/vulnerability_exports/${id}`
    expect(requested).toMatchObject({ status: 201 })
    expect(requested.body).toEqual({
      id,
      created_at: start,
      project_id: project.id,
      group_id: null,
      format: 'csv',
      status: 'created',
      started_at: null,
      finished_at: null,
      send_email: false,
      expires_at: null,
      _links: {
        self: expect.stringMatching(/\/api\/v4\/security\/vulnerability_exports\/\d+$/),
        download: expect.any(String),
      },
      filters: {},
      error: null,
      waiting_findings: null,
      progress: null,
    })
    expect(self.endsWith(new URL(requested.body._links.self).pathname)).toBe(true)
    expect(requested.body._links.download).toBe(`${requested.body._links.self}/download`)

    const waiting = await read(server.admin, id)
    expect(waiting).toMatchObject({ status: 202, body: requested.body })
    expect(waiting.headers['poll-interval']).toBe('5000')
    expect(await download(server.admin, id)).toMatchObject({
      status: 404,
      body: { message: '404 Vulnerability Export Not Found' },
    })

    clock.now = later(60)
    await server.runJobs()
    const finished = await read(server.admin, id)
    expect(finished).toMatchObject({
      status: 200,
      body: {
        ...requested.body,
        status: 'finished',
        started_at: later(60),
        finished_at: later(60),
        expires_at: later(60 + 7 * 24 * 3600),
        waiting_findings: 0,
        progress: { done: 2, total: 2 },
      },
    })
    expect(finished.headers['poll-interval']).toBeUndefined()
    const file = await download(server.admin, id)
    expect(file.status).toBe(200)
    expect(file.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': expect.stringContaining(
        'attachment; filename="acme-site_vulnerabilities_2026-05-01T1021.csv"',
      ),
    })
    const vulnerabilities = (await server.admin.get(`/projects/${project.id}/vulnerabilities`)).body
    const [second, first] = vulnerabilities.map((one: { id: number }) => one.id)
    // The last column has the whole row as JSON.
    expect(file.text.split('\n').map((line) => line.replace(/,"\{""id"".*$/, ''))).toEqual([
      expect.stringMatching(
        /^Group Name,Project Name,.*,Vulnerability ID,Priority,EPSS Score,Known Exploited,Package URL,Assignee,Due On,Overdue,Dismissed Until,Tags,Dismissal Scope,KEV Due On,Known Ransomware Use,Import Data$/,
      ),
      `acme,site,sast,Test scanner,detected,one,one at line 1,,medium,,,Rule one,2026-05-01 10:20:30 UTC,"{""file""=>""src/app.ts"", ""start_line""=>1, ""end_line""=>1}",false,,acme/site/${first},,,${first},25,,false,,,,false,,,,,false`,
      `acme,site,sast,Test scanner,detected,"two, with comma","two, with comma at line 2",,medium,,,"Rule two, with comma",2026-05-01 10:20:30 UTC,"{""file""=>""src/app.ts"", ""start_line""=>2, ""end_line""=>2}",false,,acme/site/${second},,,${second},25,,false,,,,false,,,,,false`,
      '',
    ])
  })

  test.runIf(onSqlite)(
    'contains one vulnerability per line in JSON, as the list returns it, with its child rows',
    async () => {
      const { server, project } = await world()
      await server.report(project, flaws('one', 'two', 'three'))
      const file = await exported(server, project, { export_format: 'json' })
      expect(file.headers['content-type']).toBe('application/json')
      const lines = file.text.split('\n')
      expect(lines).toHaveLength(6)
      const rows = JSON.parse(file.text)
      expect(lines.slice(1, -2).map((line) => JSON.parse(line.replace(/,$/, '')))).toEqual(rows)
      const listed = (await server.admin.get(`/projects/${project.id}/vulnerabilities`)).body
      expect(rows.map((row: { id: number }) => row.id)).toEqual(listed.map((row: { id: number }) => row.id).reverse())
      expect(rows[2]).toMatchObject({
        ...listed[0],
        // A job has no request: links begin with the address of the instance.
        web_url: expect.stringMatching(/^http:\/\/[^/]+\/.+\/-\/security\/vulnerabilities\/\d+$/),
        scanner: { external_id: 'test-scanner', name: 'Test scanner', vendor: 'Acme' },
        identifiers: [{ external_type: 'test_rule', external_id: 'three', name: 'Rule three', url: null }],
        cvss: [],
      })
    },
  )

  test.runIf(onSqlite)('contains CVSS scores and the reasons for matches of moved findings in JSON', async () => {
    const { clock, server, project } = await world()
    const vector = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H/E:U'
    const cvss_vectors = [
      { vendor: 'NVD', vector },
      { vendor: 'Acme', vector: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H' },
    ]
    const code = 'const query = "select * from users where name = \'" + name + "\'"'
    const flaw = (line: number) => ({ ...entry({ line }), cvss_vectors, raw_source_code_extract: code })
    await server.report(project, [flaw(3)])
    clock.now = later(3600)
    await server.report(project, [flaw(5)])
    const [row, ...others] = JSON.parse((await exported(server, project, { export_format: 'json' })).text)
    expect(others).toEqual([])
    const unrated = { version: null, base_score: null, overall_score: null, severity: null }
    expect(row.cvss).toEqual([
      { vendor: 'NVD', vector, version: '3.1', base_score: 9.8, overall_score: 9, severity: 'critical' },
      { ...cvss_vectors[1], ...unrated },
    ])
    const { body: listed } = await server.admin.get(
      `/projects/${project.id}/vulnerability_findings/${row.finding.id}/matches`,
    )
    expect(listed).toHaveLength(1)
    const { id: _, uuid: __, security_report_id: ___, ...match } = listed[0]
    expect(match).toMatchObject({ created_at: later(3600), new_location: { start_line: 5 } })
    expect(row.matches).toEqual([match])
  })

  test('states how many findings of its projects await promotion, which are not in the file', async () => {
    const { server, project } = await world()
    await server.report(project, flaws('one', 'two', 'three'), { promote: 'false' })
    const files = new Map<string, { text: string; headers: Record<string, unknown> }>()
    for (const format of ['csv', 'json', 'sarif']) {
      files.set(format, await exported(server, project, { export_format: format, filters: { severity: ['low'] } }))
    }
    for (const { headers } of files.values()) expect(headers).toMatchObject({ 'x-alcove-waiting-findings': '3' })
    expect(files.get('csv')?.text.split('\n')).toHaveLength(2)
    expect(JSON.parse(files.get('json')?.text ?? '')).toEqual([])
    expect(JSON.parse(files.get('sarif')?.text ?? '')).toMatchObject({ properties: { waitingFindings: 3 }, runs: [] })

    await server.admin.post(`/projects/${project.id}/vulnerability_finding_promotions`, {
      action: 'promote',
      filter: {},
    })
    const group = await server.admin.post(`/security/groups/${project.namespace.id}/vulnerability_exports`)
    await server.runJobs()
    expect(await read(server.admin, group.body.id)).toMatchObject({ body: { status: 'finished', waiting_findings: 0 } })
  })

  test('contains a SARIF run per scanner, with rules, levels, locations and dismissals', async () => {
    const { server, project } = await world()
    await server.report(project, [
      entry({ name: 'bad', severity: 'Critical', line: 4, rule: 'r1' }),
      entry({ name: 'worse', severity: 'Low', line: 9, rule: 'r1' }),
    ])
    const other = sastReport([entry({ name: 'other', severity: 'Low', rule: 'r2' })])
    other.scan.scanner.id = other.scan.scanner.name = 'another'
    await server.report(project, other)
    const file = await exported(server, project, { export_format: 'sarif' })
    const log = JSON.parse(file.text)
    expect(log).toMatchObject({
      version: '2.1.0',
      runs: [
        {
          tool: {
            driver: {
              name: 'Test scanner',
              organization: 'Acme',
              rules: [{ id: 'test_rule:r1', properties: { 'security-severity': '9.5' } }],
            },
          },
          results: [
            {
              ruleId: 'test_rule:r1',
              level: 'error',
              message: { text: 'bad at line 4' },
              locations: [
                { physicalLocation: { artifactLocation: { uri: 'src/app.ts' }, region: { startLine: 4, endLine: 4 } } },
              ],
              partialFingerprints: { 'uuid/v1': expect.any(String) },
              properties: { 'security-severity': '9.5', state: 'detected' },
            },
            { level: 'note', properties: { 'security-severity': '2.0' } },
          ],
        },
        { tool: { driver: { name: 'another' } }, results: [{ level: 'note', ruleId: 'test_rule:r2' }] },
      ],
    })
    expect(file.headers['content-type']).toBe('application/sarif+json')
    const [{ finding }] = (await server.admin.get(`/projects/${project.id}/vulnerabilities?scanner=another`)).body
    const filters = { scanner_id: [finding.scanner_id] }
    const rows = JSON.parse((await exported(server, project, { export_format: 'json', filters })).text)
    expect(rows.map((row: { title: string }) => row.title)).toEqual(['other'])
  })

  test.runIf(onSqlite)('contains titles, comments and decisions by users in every format', async () => {
    const { server, project } = await world()
    await server.report(project, flaws('one'))
    const [{ id }] = (await server.admin.get(`/projects/${project.id}/vulnerabilities`)).body
    await server.admin.post(`/vulnerabilities/${id}/dismiss`, {
      comment: 'fine',
      dismissal_reason: 'mitigating_control',
    })
    const { text } = await exported(server, project)
    expect(text).toContain(
      '2026-05-01 10:20:30 UTC|root|dismissed|changed vulnerability status from Detected to Dismissed',
    )
    expect(text).toContain(',Mitigating control,')
    const sarif = JSON.parse((await exported(server, project, { export_format: 'sarif' })).text)
    expect(sarif.runs[0].results[0].suppressions).toEqual([
      { kind: 'external', status: 'accepted', justification: 'mitigating_control' },
    ])
  })

  test.runIf(onSqlite)('is written in batches, and reports its progress', async () => {
    const store = openMemoryStore()
    const { act, reached, release } = hang()
    const objects = { ...store, put: (key: string, body: Bytes) => store.put(key, stopAfter(body, 400, act)) }
    const { server, project } = await world({ objects })
    await server.report(project, flaws(...Array.from({ length: 450 }, (_, index) => `flaw ${index}`)))
    const { id } = (await ask(server.admin, project)).body
    const running = server.runJobs()
    await reached
    const { status, body } = await read(server.admin, id)
    expect([status, body]).toMatchObject([202, { status: 'running', progress: { total: 450 } }])
    // The third batch has not been read yet.
    expect([200, 400]).toContain(body.progress.done)
    release()
    await running
    expect((await read(server.admin, id)).body).toMatchObject({
      status: 'finished',
      progress: { done: 450, total: 450 },
    })
    expect((await download(server.admin, id)).text.trimEnd().split('\n')).toHaveLength(451)
  })

  test.runIf(onSqlite)('is valid in every format when it is empty', async () => {
    const { server, project } = await world()
    expect((await exported(server, project)).text).toMatch(/^Group Name.*\n$/)
    expect(JSON.parse((await exported(server, project, { export_format: 'json' })).text)).toEqual([])
    const sarif = JSON.parse((await exported(server, project, { export_format: 'sarif' })).text)
    expect(sarif).toMatchObject({ version: '2.1.0', runs: [] })
  })

  test.runIf(onSqlite)('accepts the filters of the list, in JSON and in forms', async () => {
    const { server, project } = await world()
    await server.report(project, [
      entry({ name: 'SQL injection', severity: 'Critical', line: 1, rule: 'sqli' }),
      entry({ name: 'Weak hash', severity: 'Low', line: 2, rule: 'hash' }),
    ])
    const titles = async (filters: object | URLSearchParams) => {
      const input = filters instanceof URLSearchParams ? filters : { export_format: 'json', filters }
      const { text } = await exported(server, project, input)
      return JSON.parse(text).map((row: { title: string }) => row.title)
    }
    expect(await titles({ severity: ['critical'] })).toEqual(['SQL injection'])
    expect(await titles({ severity: 'low,medium' })).toEqual(['Weak hash'])
    expect(await titles({ state: ['dismissed'] })).toEqual([])
    expect(await titles({ state: ['opened'], report_type: ['sast'] })).toEqual(['SQL injection', 'Weak hash'])
    expect(await titles({ report_type: ['dast'] })).toEqual([])
    expect(await titles({ scanner: ['test-scanner'], has_resolution: false })).toHaveLength(2)
    expect(await titles({ scanner: ['nobody'] })).toEqual([])
    expect(await titles({ has_resolution: true })).toEqual([])
    expect(await titles({ identifier: 'rule HASH' })).toEqual(['Weak hash'])
    expect(await titles({ search: 'INJECT' })).toEqual(['SQL injection'])
    const form = new URLSearchParams({ export_format: 'json', 'filters[severity][]': 'critical' })
    expect(await titles(form)).toEqual(['SQL injection'])
    const { body } = await ask(server.admin, project, { filters: { severity: ['low'] } })
    expect(body.filters).toEqual({ severity: ['low'] })
  })

  test.runIf(onSqlite)('rejects invalid input', async () => {
    const { server, project } = await world()
    const refusal = async (input: object) => {
      const { status, body } = await ask(server.admin, project, input)
      return [status, body.error]
    }
    const badFormat = [400, 'export_format does not have a valid value']
    expect(await refusal({ export_format: 'pdf' })).toEqual(badFormat)
    expect(await refusal({ export_format: 'xml' })).toEqual(badFormat)
    expect(await refusal({ filters: { severity: ['worst'] } })).toEqual([400, 'severity does not have a valid value'])
    expect(await refusal({ filters: { colour: 'red', state: 'detected' } })).toEqual([
      400,
      expect.stringMatching(/^filters\[colour\] is not a filter; there are: state, .*, project_id$/),
    ])
    expect(await refusal({ filters: 'all' })).toEqual([400, 'filters is invalid'])
  })

  test('returns 429 while another export of the same target runs, for at most an hour', async () => {
    const { clock, server, project } = await world()
    const other = await server.project('acme/other')
    expect((await ask(server.admin, project)).status).toBe(201)
    const refused = {
      status: 429,
      body: { message: 'Export already in progress. Please retry after the current export completes.' },
    }
    expect(await ask(server.admin, project)).toMatchObject(refused)
    expect((await ask(server.admin, other)).status).toBe(201)
    expect((await server.admin.post('/security/vulnerability_exports')).status).toBe(201)
    expect((await server.admin.post('/security/groups/acme/vulnerability_exports')).status).toBe(201)
    const developer = await server.as('developer', project)
    expect((await ask(developer, project)).status).toBe(201)
    clock.now = later(3601)
    expect((await ask(server.admin, project)).status).toBe(201)
    await server.runJobs()
    const together = await Promise.all([1, 2, 3].map(() => ask(server.admin, project)))
    expect(together.map(({ status }) => status).sort()).toEqual([201, 429, 429])
  })

  test.runIf(onSqlite)('is available only to its author, while they may export', async () => {
    const { server, project } = await world()
    await server.report(project, flaws('one'))
    const developer = await server.as('developer', project)
    const { id } = (await ask(developer, project)).body
    await server.runJobs()
    expect((await download(developer, id)).status).toBe(200)
    for (const client of [server.admin, await server.as('developer', project), await server.user('stranger')]) {
      expect(await read(client, id)).toMatchObject({ status: 403, body: { message: '403 Forbidden' } })
      expect((await download(client, id)).status).toBe(403)
    }
    expect((await read(server.anonymous, id)).status).toBe(401)
    expect(await read(developer, 999_999)).toMatchObject({ status: 404, body: { message: '404 Not found' } })
    await server.admin.delete(`/projects/${project.id}/members/${developer.user?.id}`)
    expect((await read(developer, id)).status).toBe(403)
    const reporter = await server.as('reporter', project)
    expect((await ask(reporter, project)).status).toBe(403)
    const reading = await server.client(developer, { scopes: ['read_api'] })
    for (const at of [`/projects/${project.id}`, '/groups/acme', '']) {
      expect(await reading.post(`/security${at}/vulnerability_exports`)).toMatchObject({
        status: 403,
        body: { error: 'insufficient_scope', scope: 'api' },
      })
    }
  })

  test('contains one project after the other for a group and for all projects of the caller', async () => {
    const { server, project } = await world()
    const [second, elsewhere] = [await server.project('acme/second'), await server.project('other/third')]
    await server.report(second, flaws('b'))
    await server.report(project, flaws('a'))
    await server.report(elsewhere, flaws('c'))
    const titles = async (client: Client, path: string, input: object = {}) => {
      const { body } = await client.post(path, { export_format: 'json', ...input })
      await server.runJobs()
      const { text, headers } = await download(client, body.id)
      const name = /filename="([^"]+)"/.exec(headers['content-disposition'] ?? '')?.[1]
      return [name, JSON.parse(text).map((row: { title: string }) => row.title)]
    }
    expect(await titles(server.admin, '/security/groups/acme/vulnerability_exports')).toEqual([
      'acme_vulnerabilities_2026-05-01T1020.json',
      ['a', 'b'],
    ])
    const filters = { project_id: [second.id, elsewhere.id] }
    expect((await titles(server.admin, '/security/groups/acme/vulnerability_exports', { filters }))[1]).toEqual(['b'])
    expect(await titles(server.admin, '/security/vulnerability_exports')).toEqual([
      'instance_vulnerabilities_2026-05-01T1020.json',
      ['a', 'b', 'c'],
    ])
    const developer = await server.as('developer', elsewhere)
    expect((await titles(developer, '/security/vulnerability_exports'))[1]).toEqual(['c'])
    const nobody = await server.user('nobody')
    expect((await titles(nobody, '/security/vulnerability_exports'))[1]).toEqual([])
    expect((await nobody.post('/security/groups/acme/vulnerability_exports')).status).toBe(403)
  })

  test.runIf(onSqlite)('is deleted with its file after a week', async () => {
    const { clock, server, project } = await world()
    const { id } = (await ask(server.admin, project)).body
    await server.runJobs()
    expect(await objectsOf(server)).toHaveLength(1)
    clock.now = later(7 * 24 * 3600 - 1)
    await expireExports(server.deps)
    expect((await download(server.admin, id)).status).toBe(200)
    clock.now = later(7 * 24 * 3600)
    await expireExports(server.deps)
    await deleteMarkedObjects(server.deps)
    expect((await read(server.admin, id)).status).toBe(404)
    expect(await objectsOf(server)).toEqual([])
  })

  test.runIf(onSqlite)('is deleted with its file when its project, group or author is deleted', async () => {
    const { server, project } = await world()
    await exported(server, project)
    const second = await server.project('gone/with-group')
    await server.admin.post('/security/groups/gone/vulnerability_exports')
    await exported(server, second)
    const developer = await server.as('developer', await server.project('acme/stays'))
    await developer.post('/security/vulnerability_exports')
    await server.runJobs()
    expect(await objectsOf(server)).toHaveLength(4)
    await server.admin.delete(`/projects/${project.id}`)
    expect(await objectsOf(server)).toHaveLength(3)
    await server.admin.delete('/groups/gone')
    expect(await objectsOf(server)).toHaveLength(1)
    await server.admin.delete(`/users/${developer.user?.id}`)
    expect(await objectsOf(server)).toEqual([])
  })

  test('stores nothing when its target is deleted during the export', async () => {
    const objects = faultyStore(openMemoryStore())
    const { server, project } = await world({ objects })
    await ask(server.admin, project)
    objects.at('put after', async () => void (await server.admin.delete(`/projects/${project.id}`)))
    await server.runJobs()
    expect(await objectsOf(server)).toEqual([])
  })
})

describe('export errors', () => {
  test('retries when the object store fails, and marks the export as failed after the last attempt', async () => {
    const objects = faultyStore(openMemoryStore())
    const { clock, server, project } = await world({ objects })
    await server.report(project, flaws('one'))
    const { id } = (await ask(server.admin, project)).body
    objects.at('put before', () => {
      throw new Error('no bucket')
    })
    await server.runJobs()
    expect((await read(server.admin, id)).body.status).toBe('running')
    for (const minutes of [10, 20]) {
      clock.now = later(minutes * 60)
      await server.runJobs()
    }
    const failed = await read(server.admin, id)
    expect(failed).toMatchObject({ status: 200, body: { status: 'failed', finished_at: later(1200) } })
    expect(await download(server.admin, id)).toMatchObject({
      status: 404,
      body: { message: '404 Vulnerability Export Not Found' },
    })
    objects.heal()
    expect((await ask(server.admin, project)).status).toBe(201)
  })

  test.runIf(onSqlite)(
    'runs again after a kill between object and row, and the orphaned object is removed',
    async () => {
      const { clock, server, project } = await world()
      await server.report(project, flaws('one'))
      const { id } = (await ask(server.admin, project)).body
      const dying = {
        ...server.deps,
        db: new Proxy(server.deps.db, {
          get: (db, name) =>
            name === 'run'
              ? (query: Sql) =>
                  query.text.includes("status = 'finished'") ? new Promise(() => {}) : server.deps.db.run(query)
              : Reflect.get(db, name),
        }),
      }
      void runDueJobs(dying, jobKinds)
      await expect.poll(() => objectsOf(server)).toHaveLength(1)
      clock.now = later(120)
      await server.runJobs()
      expect((await read(server.admin, id)).body.status).toBe('finished')
      expect((await download(server.admin, id)).text).toContain('one at line 1')
      expect(await objectsOf(server)).toHaveLength(2)
      clock.now = new Date(Date.now() + 25 * 3600 * 1000).toISOString()
      await removeOrphanedObjects(server.deps)
      expect(await objectsOf(server)).toHaveLength(1)
    },
  )
})
