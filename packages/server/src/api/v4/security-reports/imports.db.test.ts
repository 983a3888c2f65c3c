import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import sql from 'sql-template-tag'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { beginImport, findImport } from '../../../domain/reports/imports/import-queries.ts'
import { importKind } from '../../../domain/reports/imports/run-imports.ts'
import { openLifecycle } from '../../../platform/lifecycle.ts'
import { openMemoryStore } from '../../../platform/object-store/memory.ts'
import type { ObjectStore } from '../../../platform/object-store/objects.ts'
import { type Client, formWithFile, type Reply } from '../../../testing/client.ts'
import { onSqlite } from '../../../testing/databases/database.ts'
import { keepReport, runImport } from '../../../testing/reports/imports.ts'
import { entry, sastReport } from '../../../testing/reports/reports.ts'
import { startServer, type TestProject, type TestServer } from '../../../testing/server.ts'
import { faultyStore, hang } from '../../../testing/stand-ins/faulty-store.ts'

let server: TestServer
const store = faultyStore(openMemoryStore())
beforeAll(async () => {
  server = await startServer({ objects: store })
})

let projects = 0
const freshProject = () => server.project(`acme/imports-${++projects}`)

const reports = (project: TestProject) => `/projects/${project.id}/security_reports`

const send = (client: Client, project: TestProject, report: object | string, fields: Record<string, string> = {}) =>
  client.post(
    reports(project),
    formWithFile('file', 'report.json', typeof report === 'string' ? report : JSON.stringify(report), fields),
  )

const findings = async (project: TestProject, query = '') =>
  (await server.admin.get(`/projects/${project.id}/vulnerability_findings?per_page=100&${query}`)).body

const countRows = async (table: keyof typeof tables, project: TestProject) =>
  (await server.deps.db.one<{ total: number }>(tables[table](project)))?.total

const tables = {
  findings: ({ id }: TestProject) => sql`select count(*) as total from findings where project_id = ${id}`,
  imports: ({ id }: TestProject) => sql`select count(*) as total from imports where project_id = ${id}`,
  scanners: ({ id }: TestProject) => sql`select count(*) as total from scanners where project_id = ${id}`,
  identifiers: ({ id }: TestProject) => sql`select count(*) as total from identifiers where project_id = ${id}`,
  jobs: ({ id }: TestProject) => sql`select count(*) as total from jobs where key = ${`import:${id}`}`,
  staged_findings: ({ id }: TestProject) => sql`
    select count(*) as total from staged_findings s join imports i on i.id = s.import_id where i.project_id = ${id}`,
}

async function ended(project: TestProject, id: number) {
  for (;;) {
    const { body } = await server.admin.get(`${reports(project)}/${id}`)
    if (body.status === 'done' || body.status === 'failed') return body
    await sleep(5)
  }
}

/** Sends a part, another one after the interval of progress updates, and the rest when it is released. */
async function* haltingly(body: Readable, act: () => void | Promise<void>): AsyncGenerator<Buffer> {
  const bytes = await buffer(body)
  const [first, second] = [Math.floor(bytes.length * 0.4), Math.floor(bytes.length * 0.8)]
  yield bytes.subarray(0, first)
  await sleep(600)
  yield bytes.subarray(first, second)
  await act()
  yield bytes.subarray(second)
}

const many = (count: number, from = 1, rule = 'flaw') =>
  Array.from({ length: count }, (_, index) => entry({ line: from + index, rule }))

describe('an import', () => {
  test.runIf(onSqlite)('is listed newest first with author, ref and dates, and can be read by id', async () => {
    const project = await freshProject()
    const developer = await server.as('developer', project)
    const one = await send(developer, project, sastReport(many(2)), { commit_sha: 'abc' })
    const two = await send(server.admin, project, sastReport(many(1)), { ref: 'feature' })
    const listed = await developer.get(reports(project))
    expect(listed.headers['x-total']).toBe('2')
    const inList = ({ against: _, project_created: __, ...fields }: Reply['body']) => fields
    expect(listed.body).toEqual([inList(two.body), inList(one.body)])
    expect(listed.body[1]).toMatchObject({
      status: 'done',
      user_id: developer.user?.id,
      ref: 'main',
      commit_sha: 'abc',
      format: 'gitlab',
      version: '15.2.1',
      report_type: 'sast',
      scanner: 'Test scanner',
      file_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      findings: { read: 2, new: 2, known: 0, gone: 0, returned: 0, changed: 0, moved: 0, merged: 0, skipped: 0 },
    })
    expect((await developer.get(`${reports(project)}?ref=feature`)).body).toEqual([inList(two.body)])
    expect((await developer.get(`${reports(project)}/${one.body.id}`)).body).toEqual(one.body)
  })

  test.runIf(onSqlite)('names its sender, the token and the pages of the CI job and the commit', async () => {
    const project = await freshProject()
    const developer = await server.as('developer', project)
    const pages = { job_url: 'https://ci.example.com/jobs/7?x=1', commit_url: 'https://git.example.com/commit/abc' }
    const { body } = await send(developer, project, sastReport(many(1)), pages)
    const { body: self } = await developer.get('/personal_access_tokens/self')
    const expected = { user: { username: developer.user?.username }, token_name: self.name, ...pages }
    expect(body).toMatchObject(expected)
    expect((await developer.get(reports(project))).body[0]).toMatchObject(expected)
    expect((await developer.get(`${reports(project)}/${body.id}`)).body).toMatchObject(expected)

    await server.admin.put(`/users/${developer.user?.id}`, { name: 'Renamed sender' })
    expect((await server.admin.get(reports(project))).body[0].user.name).toBe('Renamed sender')
    const dryRun = await send(developer, project, sastReport(many(1)), { dry_run: 'true' })
    expect(dryRun.body).toMatchObject({ user: null, token_name: null, job_url: null, commit_url: null })
  })

  test.each([
    'javascript:alert(1)',
    'https://user:pass@example.com/',
    'jobs/7',
    `https://example.com/${'x'.repeat(1100)}`,
  ])('rejects %s as the page of a job', { skip: !onSqlite }, async (url) => {
    const project = await freshProject()
    for (const extra of [{}, { dry_run: 'true' }]) {
      const { status, body } = await send(server.admin, project, sastReport(many(1)), { job_url: url, ...extra })
      expect(status).toBe(400)
      expect(JSON.stringify(body)).toContain('must be an http:// or https:// address')
    }
    expect((await server.admin.get(reports(project))).body).toEqual([])
  })

  test.runIf(onSqlite)('is visible to developers of its project only', async () => {
    const [project, other] = [await freshProject(), await freshProject()]
    const { body } = await send(server.admin, project, sastReport(many(1)))
    expect((await (await server.as('reporter', project)).get(reports(project))).status).toBe(403)
    expect((await server.anonymous.get(`${reports(project)}/${body.id}`)).status).toBe(401)
    const elsewhere = await server.admin.get(`${reports(other)}/${body.id}`)
    expect([elsewhere.status, elsewhere.body]).toEqual([404, { message: '404 Not found' }])
  })

  test.runIf(onSqlite)('of the same file has unchanged=true', async () => {
    const project = await freshProject()
    expect((await send(server.admin, project, sastReport(many(3)))).body.unchanged).toBe(false)
    const before = await findings(project)
    const again = await send(server.admin, project, sastReport(many(3)))
    expect(again.body).toMatchObject({ unchanged: true, findings: { read: 3, known: 3, new: 0, changed: 0 } })
    expect(await findings(project)).toEqual(before)
  })

  test.runIf(onSqlite)('has the same counts and samples in a dry run, which writes nothing', async () => {
    const project = await freshProject()
    await send(server.admin, project, sastReport(many(5)), { promote: 'true' })
    await send(server.admin, project, sastReport(many(4)))
    const next = sastReport([
      ...many(2, 4), // one of them is back
      entry({ line: 1, name: 'Other name' }),
      entry({ line: 50, rule: 'new' }),
    ])
    const rows = await countRows('findings', project)
    const trial = await send(server.admin, project, next, { dry_run: 'true', promote: 'true' })
    expect(await countRows('findings', project)).toBe(rows)
    expect(await countRows('imports', project)).toBe(2)
    const real = await send(server.admin, project, next, { promote: 'true' })
    expect(trial.status).toBe(201)
    expect(trial.body).toMatchObject({ id: null, dry_run: true, status: 'done' })
    expect(trial.body.findings).toEqual(real.body.findings)
    expect(real.body.findings).toEqual({
      read: 4,
      new: 1,
      known: 2,
      returned: 1,
      gone: 2,
      changed: 1,
      moved: 0,
      merged: 0,
      skipped: 0,
      promoted: 1,
    })
    expect(trial.body.samples).toEqual(real.body.samples)
    expect(real.body.samples).toMatchObject({
      new: [{ name: 'Flaw', severity: 'medium', report_type: 'sast', location: { start_line: 50 } }],
      returned: [{ location: { start_line: 5 } }],
      gone: [{ location: { start_line: 2 } }, { location: { start_line: 3 } }],
      changed: [{ location: { start_line: 1 } }],
      moved: [],
    })
  })

  test.runIf(onSqlite)('of invalid JSON stores nothing', async () => {
    const project = await freshProject()
    const refused = await send(server.admin, project, '{"version":"15.2.1","vulnerabilities":[')
    expect(refused.status).toBe(400)
    expect(await countRows('imports', project)).toBe(0)
    expect(await countRows('findings', project)).toBe(0)
    const keys = async () => {
      const found: string[] = []
      for await (const { key } of store.list('files/')) found.push(key)
      return found
    }
    // The response to the sender comes first.
    await expect.poll(keys).toEqual([])
  })

  test('of a truncated report stores no scanner, identifier or job', async () => {
    const project = await freshProject()
    await send(server.admin, project, sastReport(many(3)))
    const names = Object.keys(tables) as (keyof typeof tables)[]
    const count = () => Promise.all(names.map(async (table) => [table, await countRows(table, project)]))
    const before = await count()
    const other = [{ type: 'other', name: 'Other', value: 'only here' }]
    const changed = many(3).map((one) => ({
      ...one,
      identifiers: [...one.identifiers, { ...other[0], value: 'staged' }],
    }))
    const fresh = many(900, 50).map((one) => ({ ...one, identifiers: other }))
    const text = JSON.stringify(sastReport([...changed, ...fresh], 'another-scanner'))
    const refused = await send(server.admin, project, `${text.slice(0, -2)},{"id":}]}`)
    expect(refused.status).toBe(400)
    expect(await count()).toEqual(before)
  })

  test.runIf(onSqlite)('returns 202 with async=true, and its status can be polled', async () => {
    const project = await freshProject()
    const kept = await send(server.admin, project, sastReport(many(300)), { async: 'true' })
    expect(kept).toMatchObject({ status: 202, body: { status: expect.stringMatching(/waiting|running/) } })
    expect(kept.headers['location']).toBe(`/api/v4${reports(project)}/${kept.body.id}`)
    expect(await ended(project, kept.body.id)).toMatchObject({ status: 'done', findings: { new: 300 } })

    const broken = await send(server.admin, project, '[', { async: 'true' })
    expect(broken.status).toBe(202)
    const { status, errors } = await ended(project, broken.body.id)
    expect([status, errors.length]).toEqual(['failed', 1])
  })

  test('waits for another import of the project, and both have correct counts', async () => {
    const project = await freshProject()
    const both = await Promise.all([
      send(server.admin, project, sastReport(many(400))),
      send(server.admin, project, sastReport(many(400, 101))),
    ])
    expect(both.map(({ status }) => status)).toEqual([201, 201])
    const counts = both.map(({ body }) => body.findings)
    expect(counts.map((one) => one.new).sort((a, b) => a - b)).toEqual([100, 400])
    expect(counts.map((one) => one.gone).sort((a, b) => a - b)).toEqual([0, 100])
    expect(await countRows('findings', project)).toBe(500)
  })

  test.runIf(onSqlite)('reports its progress while it runs, without findings', async () => {
    const store = openMemoryStore()
    const { act, release } = hang()
    let opened = 0
    const objects: ObjectStore = {
      ...store,
      async open(key, range) {
        const body = await store.open(key, range)
        // The pass that reads the entries, after those that check the whole file.
        return body && (++opened === 4 ? Readable.from(haltingly(body, act), { objectMode: false }) : body)
      },
    }
    const slow = await startServer({ objects })
    const project = await slow.project('acme/slow')
    // In several lines, because the first line of a text is read before anything else.
    const report = JSON.stringify(sastReport(many(300)), undefined, 1)
    const form = formWithFile('file', 'report.json', report, { async: 'true' })
    const { id, file_size } = (await slow.admin.post(reports(project), form)).body
    const look = async () => (await slow.admin.get(`${reports(project)}/${id}`)).body
    await expect.poll(async () => (await look()).read_bytes).toBeGreaterThan(0)

    const running = await look()
    expect(running).toMatchObject({ status: 'running', shown_at: null, finished_at: null })
    expect(running.read_bytes).toBeLessThan(file_size)
    expect(running.findings.read).toBeGreaterThan(0)
    expect(running.findings.read).toBeLessThan(300)
    expect((await slow.admin.get(`/projects/${project.id}/vulnerability_findings`)).body).toEqual([])
    release()
    await expect.poll(async () => (await look()).status).toBe('done')
    expect(await look()).toMatchObject({ read_bytes: file_size, findings: { read: 300, new: 300 } })
  })

  test('can be retried after an error of the object store', async () => {
    const project = await freshProject()
    store.at('open before', () => {
      store.heal()
      throw new Error('a bug, once')
    })
    const kept = await send(server.admin, project, sastReport(many(3)), { async: 'true' })
    await sleep(50)
    expect(await findings(project)).toEqual([])
    const job = (await server.admin.get('/admin/jobs?kind=import')).body[0]
    await server.admin.post(`/admin/jobs/${job.id}/retry`)
    expect(await ended(project, kept.body.id)).toMatchObject({ status: 'done', findings: { new: 3 } })
  })
})

describe('a stopping process', () => {
  test('returns 202 at once to requests that wait for their import', async () => {
    const lifecycle = openLifecycle()
    const objects = faultyStore(openMemoryStore())
    const server = await startServer({ objects, lifecycle })
    const project = await server.project('acme/stopping')
    const { act, release } = hang()
    onTestFinished(release)
    objects.at('open before', act)
    const report = JSON.stringify(sastReport(many(1)))
    const post = () => server.admin.post(reports(project), formWithFile('file', 'report.json', report))
    const sent = post()
    await expect.poll(async () => (await server.admin.get(reports(project))).body[0]?.status).toBe('running')

    lifecycle.stop()
    expect(await sent).toMatchObject({ status: 202, body: { status: 'running' } })
    expect(await post()).toMatchObject({ status: 202, body: { status: 'waiting' } })
  })
})

describe('an interrupted import', () => {
  test.runIf(onSqlite)('has made no visible change, and restarts from the beginning', async () => {
    const project = await freshProject()
    await send(server.admin, project, sastReport(many(3)), { promote: 'true' })
    const before = await findings(project)
    // An import that changes, adds and removes; only this test runs its job.
    const report = sastReport([entry({ line: 1, severity: 'Critical' }), ...many(700, 10, 'new')])
    const kept = await keepReport(server, project, report)
    await expect(runImport(server, kept, 0)).rejects.toThrow('killed')
    expect(await countRows('findings', project)).toBeGreaterThan(3)
    expect(await findings(project)).toEqual(before)
    const { body } = await server.admin.get(`/projects/${project.id}/vulnerabilities`)
    expect(body.map((one: { severity: string }) => one.severity)).toEqual(['medium', 'medium', 'medium'])

    await runImport(server, kept)
    const done = await findImport(server.deps.db, kept)
    expect(done).toMatchObject({ state: 'done', counts: { read: 701, new: 700, known: 1, gone: 2, changed: 1 } })
    expect(await countRows('findings', project)).toBe(703)
    expect(await countRows('staged_findings', project)).toBe(0)
    expect((await findings(project))[0]).toMatchObject({ severity: 'critical', location: { start_line: 1 } })
    // Running it again changes nothing.
    await runImport(server, kept)
  })

  test('has no findings that can be promoted', async () => {
    const project = await freshProject()
    const kept = await keepReport(server, project, sastReport(many(300)))
    await expect(runImport(server, kept, 0)).rejects.toThrow('killed')
    const row = await server.deps.db.one<{ id: number }>(sql`
      select id from findings where project_id = ${project.id} order by id limit 1`)
    const refused = await server.admin.post(`/projects/${project.id}/vulnerabilities?finding_id=${row?.id}`)
    expect(refused.status).toBe(400)
  })

  test('stops when another attempt has taken over', async () => {
    const project = await freshProject()
    const kept = await keepReport(server, project, sastReport(many(150)))
    store.at('open before', async () => {
      store.heal()
      await beginImport(server.deps.db, kept, 'another', server.deps.now())
    })
    await runImport(server, kept)
    expect(await findImport(server.deps.db, kept)).toMatchObject({ state: 'running' })
    expect(await findings(project)).toEqual([])
    await runImport(server, kept)
    expect(await findings(project)).toHaveLength(100)
  })

  test.runIf(onSqlite)('removes its findings when all attempts fail', async () => {
    const project = await freshProject()
    const kept = await keepReport(server, project, sastReport(many(300)))
    await expect(runImport(server, kept, 0)).rejects.toThrow('killed')
    await importKind.giveUp?.(server.deps, { importId: kept }, 'killed')
    expect(await countRows('findings', project)).toBe(0)
    expect(await findImport(server.deps.db, kept)).toMatchObject({ state: 'failed', objectKey: expect.any(String) })
  })

  test('is waiting again and shows the number of interruptions', async () => {
    const project = await freshProject()
    const kept = await keepReport(server, project, sastReport(many(300)))
    await expect(runImport(server, kept, 0)).rejects.toThrow('killed')
    await importKind.interrupted?.(server.deps, { importId: kept }, 4)
    const look = async () => (await server.admin.get(`${reports(project)}/${kept}`)).body
    expect(await look()).toMatchObject({ status: 'waiting', interruptions: 4 })
    await runImport(server, kept)
    expect(await look()).toMatchObject({ status: 'done', interruptions: 4, findings: { new: 300 } })
  })
})

test.runIf(onSqlite)('deleting a project deletes its running imports', async () => {
  const project = await freshProject()
  const kept = await send(server.admin, project, sastReport(many(2000)), { async: 'true' })
  expect(kept.status).toBe(202)
  expect((await server.admin.delete(`/projects/${project.id}`)).status).toBe(202)
  expect(await findImport(server.deps.db, kept.body.id)).toBeUndefined()
})

test('an import fails when its sender is deleted meanwhile', async () => {
  const project = await freshProject()
  const maintainer = await server.user('leaves-soon')
  await server.admin.post(`/projects/${project.id}/members`, { user_id: maintainer.user?.id, access_level: 40 })
  const kept = await keepReport(server, project, sastReport(many(3)), { promote: 'true' }, maintainer)
  expect((await server.admin.delete(`/users/${maintainer.user?.id}`)).status).toBe(204)
  await runImport(server, kept)
  const { body } = await server.admin.get(`${reports(project)}/${kept}`)
  expect(body).toMatchObject({ status: 'failed', errors: [{ type: 'forbidden' }] })
  expect((await server.admin.get(`/projects/${project.id}/vulnerability_findings`)).body).toEqual([])
})
