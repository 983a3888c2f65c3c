import { beforeAll, describe, expect, test } from 'vitest'
import { type Client, formWithFile } from '../../../testing/client.ts'
import { entry, sastReport } from '../../../testing/reports/reports.ts'
import { startServer, type TestServer } from '../../../testing/server.ts'

let server: TestServer
/** Developer of the group `acme`, which is private. */
let developer: Client
let maintainer: Client
let outsider: Client
beforeAll(async () => {
  server = await startServer()
  const { body: group } = await server.admin.post('/groups', { name: 'acme', path: 'acme' })
  developer = await server.user('dev')
  maintainer = await server.user('mona')
  outsider = await server.user('otto')
  const add = (client: Client, access_level: number) =>
    server.admin.post(`/groups/${group.id}/members`, { user_id: client.user?.id, access_level })
  await add(developer, 30)
  await add(maintainer, 40)
})

const report = JSON.stringify(sastReport([entry()]))

const send = (client: Client, path: string, fields: Record<string, string> = { create: 'true' }, text = report) =>
  client.post(`/projects/${encodeURIComponent(path)}/security_reports`, formWithFile('file', 'r.json', text, fields))

const read = (path: string) => server.admin.get(`/projects/${encodeURIComponent(path)}`)

describe('the first report with create=true', () => {
  test('creates a private project that promotes findings, and the next one uses it', async () => {
    const first = await send(developer, 'acme/site')
    expect(first).toMatchObject({ status: 201, body: { project_created: true, findings: { new: 1, promoted: 1 } } })
    expect((await read('acme/site')).body).toMatchObject({
      id: first.body.project_id,
      name: 'site',
      visibility: 'private',
      creator_id: developer.user?.id,
      promote_vulnerabilities_on_ingestion: true,
    })
    const second = await send(developer, 'ACME/site')
    expect(second).toMatchObject({ status: 201, body: { project_created: false, project_id: first.body.project_id } })
    expect((await send(developer, 'acme/site', {})).body.project_created).toBe(false)
    const listed = await developer.get(`/projects/${first.body.project_id}/vulnerabilities`)
    expect(listed.body).toHaveLength(1)
  })

  test('takes the parameter from the query, too, and creates a project in the own namespace', async () => {
    const path = `/projects/${encodeURIComponent('otto/tool')}/security_reports?create=true`
    const sent = await outsider.post(path, formWithFile('file', 'r.json', report))
    expect(sent).toMatchObject({ status: 201, body: { project_created: true } })
    expect((await read('otto/tool')).body.namespace).toMatchObject({ kind: 'user', path: 'otto' })
  })

  test('creates missing subgroups where its sender may create them, and names the missing group otherwise', async () => {
    expect(await send(developer, 'acme/team/api')).toMatchObject({
      status: 404,
      body: { message: '404 Group acme/team Not Found' },
    })
    expect(await send(maintainer, 'acme/team/backend/api')).toMatchObject({
      status: 201,
      body: { project_created: true },
    })
    expect((await read('acme/team/backend/api')).body.namespace.full_path).toBe('acme/team/backend')
    expect(await send(maintainer, 'unknown/api')).toMatchObject({
      status: 404,
      body: { message: '404 Group unknown Not Found' },
    })
    expect(await send(developer, 'otto/sub/api')).toMatchObject({
      status: 404,
      body: { message: '404 Group otto Not Found' },
    })
  })

  test('creates one project for simultaneous requests', async () => {
    const replies = await Promise.all(Array.from({ length: 4 }, () => send(maintainer, 'acme/fresh/race')))
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 201, 201])
    expect(replies.filter(({ body }) => body.project_created)).toHaveLength(1)
    expect(new Set(replies.map(({ body }) => body.project_id)).size).toBe(1)
    expect(replies.reduce((sum, { body }) => sum + body.findings.new, 0)).toBe(1)
  })

  test.each([
    ['an unreadable report', {}, '{"version": "15.2.1", "vulnerabilities": ['],
    ['a report of an unknown format', {}, '{"what": 1}'],
    ['invalid entries with strict=true', { strict: 'true' }, report.replace('"start_line":1', '"start_line":"x"')],
    ['an unknown report type', { report_type: 'poetry' }, report],
    ['a ref that is too long', { ref: 'x'.repeat(256) }, report],
  ])('creates nothing for %s', async (_, fields, text) => {
    expect((await send(developer, 'acme/nothing', { create: 'true', ...fields }, text)).status).toBe(400)
    expect((await read('acme/nothing')).status).toBe(404)
  })

  test('creates nothing for promote=true without the right to promote, in a dry run, or at a reserved path', async () => {
    expect((await send(developer, 'acme/nothing', { create: 'true', promote: 'true' })).status).toBe(403)
    expect((await send(developer, 'acme/nothing', { create: 'true', dry_run: 'true' })).status).toBe(404)
    expect((await send(developer, 'acme/-', { create: 'true' })).status).toBe(400)
    expect((await send(developer, 'acme/nothing', { create: 'false' })).status).toBe(404)
    expect((await send(developer, '123456', { create: 'true' })).status).toBe(404)
    expect((await read('acme/nothing')).status).toBe(404)
    const stored: string[] = []
    for await (const { key } of server.deps.objects.list('')) stored.push(key)
    expect(stored).toEqual([])
  })

  test('creates nothing when too many reports of its sender wait', async () => {
    const full = await startServer({ settings: { maxWaitingReports: { ofProject: 5, ofUser: 0, bytes: 1024 } } })
    await full.admin.post('/groups', { name: 'full', path: 'full' })
    expect(await send(full.admin, 'full/site')).toMatchObject({ status: 429, headers: { 'retry-after': '30' } })
    expect((await full.admin.get('/projects/full%2Fsite')).status).toBe(404)
    await full.close()
  })

  test('gives the same response for a hidden project or group as for a missing one', async () => {
    await server.project('open/visible', { visibility: 'public' })
    await server.project('open/hidden')
    await send(developer, 'acme/hidden')
    const bodyOf = async (path: string) => {
      const { status, body } = await send(outsider, path)
      return { status, text: JSON.stringify(body).replaceAll(path.split('/')[0] ?? '', 'group') }
    }
    expect(await bodyOf('open/hidden')).toEqual(await bodyOf('open/missing'))
    expect((await bodyOf('open/missing')).status).toBe(403)
    expect(await bodyOf('acme/hidden')).toEqual(await bodyOf('ghost/hidden'))
    expect((await bodyOf('acme/hidden')).status).toBe(404)
    expect(await bodyOf('dev/x')).toEqual(await bodyOf('nouser/x'))
    const [hidden, missing] = [await send(outsider, 'acme/hidden', {}), await send(outsider, 'acme/missing', {})]
    expect(hidden).toMatchObject({ status: 404, body: { message: '404 Project Not Found' } })
    expect(missing.body).toEqual(hidden.body)
    expect((await send(server.anonymous, 'acme/missing')).status).toBe(401)
  })

  test('needs the scope api, because sending reports does not permit to create projects', async () => {
    const sender = await server.client(developer, { scopes: ['write_security_reports'] })
    expect(await send(sender, 'acme/scoped')).toMatchObject({ status: 403, body: { error: 'insufficient_scope' } })
    expect((await send(sender, 'acme/site')).status).toBe(201)
    expect((await read('acme/scoped')).status).toBe(404)
  })
})

describe('the promotion of new projects', () => {
  const promotes = async (path: string) => (await read(path)).body.promote_vulnerabilities_on_ingestion

  test('is manual for the plain API, as the nearest group says, and as the request says', async () => {
    const { body: outer } = await server.admin.post('/groups', {
      ...{ name: 'outer', path: 'outer', promote_vulnerabilities_on_ingestion: true },
    })
    expect(outer.promote_vulnerabilities_on_ingestion).toBe(true)
    const { body: inner } = await server.admin.post('/groups', { name: 'inner', path: 'inner', parent_id: outer.id })
    expect(inner.promote_vulnerabilities_on_ingestion).toBe(null)
    const create = (name: string, namespace_id: number, more = {}) =>
      server.admin.post('/projects', { name, path: name, namespace_id, ...more })
    await create('one', inner.id)
    expect(await promotes('outer/inner/one')).toBe(true)
    const set = await server.admin.put(`/groups/${inner.id}`, { promote_vulnerabilities_on_ingestion: false })
    expect(set.body.promote_vulnerabilities_on_ingestion).toBe(false)
    await create('two', inner.id)
    await create('three', inner.id, { promote_vulnerabilities_on_ingestion: true })
    await send(server.admin, 'outer/inner/four')
    expect(await promotes('outer/inner/two')).toBe(false)
    expect(await promotes('outer/inner/three')).toBe(true)
    expect(await promotes('outer/inner/four')).toBe(false)
    const { body: cleared } = await server.admin.put(`/groups/${inner.id}`, {
      promote_vulnerabilities_on_ingestion: null,
    })
    expect(cleared.promote_vulnerabilities_on_ingestion).toBe(null)
    await server.project('plain/one')
    expect(await promotes('plain/one')).toBe(false)
  })

  test('is automatic with ALCOVE_PROMOTE=auto unless the request or a group says otherwise', async () => {
    const server = await startServer({ settings: { promotesByDefault: true } })
    const project = await server.project('acme/auto')
    expect(project['promote_vulnerabilities_on_ingestion']).toBe(true)
    const { body: group } = await server.admin.get('/groups/acme')
    await server.admin.put(`/groups/${group.id}`, { promote_vulnerabilities_on_ingestion: false })
    expect((await server.project('acme/manual'))['promote_vulnerabilities_on_ingestion']).toBe(false)
  })
})
