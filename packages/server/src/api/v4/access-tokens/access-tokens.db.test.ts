import { describe, expect, test } from 'vitest'
import { removeIdleBots } from '../../../domain/removal/revoke-access-token.ts'
import { type Client, createClient } from '../../../testing/client.ts'
import { onSqlite } from '../../../testing/databases/database.ts'
import { startServer as start, type TestServer } from '../../../testing/server.ts'

const clock = { now: '2026-02-14T12:00:00.000Z' }
const startServer = () => {
  clock.now = '2026-02-14T12:00:00.000Z'
  return start({ clock })
}
const draft = { name: 'pipeline', scopes: ['api'], access_level: 30 }

/** A project or group with a path for its tokens, and clients with the roles that decide. */
async function openPlace(server: TestServer, noun: 'project' | 'group') {
  const project = await server.project('acme/site')
  const [manager, below] = [await server.user('manager'), await server.user('below')]
  const place = noun === 'project' ? `/projects/${project.id}` : `/groups/${project['namespace'].id}`
  const levels = noun === 'project' ? [40, 30] : [50, 40]
  for (const [index, client] of [manager, below].entries()) {
    const member = { user_id: client.user?.id, access_level: levels[index] }
    expect((await server.admin.post(`${place}/members`, member)).status).toBe(201)
  }
  const ownId: number = noun === 'project' ? project.id : project['namespace'].id
  return { project, manager, below, place, path: `${place}/access_tokens`, ownId }
}

async function create(by: Client, path: string, change: object = {}) {
  const { status, body } = await by.post(path, { ...draft, ...change })
  expect(status).toBe(201)
  return body
}

const clientOf = (server: TestServer, { token }: { token: string }) => createClient(server.app, { token })

describe.each(['project', 'group'] as const)('an access token of a %s', (noun) => {
  test.runIf(onSqlite)('belongs to a bot with its role, and its secret is shown once', async () => {
    const server = await startServer()
    const { manager, path, ownId, project } = await openPlace(server, noun)
    const issued = await create(manager, path, { description: 'for the pipeline', expires_at: '2026-12-31' })
    expect(Object.keys(issued)).toEqual([
      ...['id', 'name', 'revoked', 'created_at', 'description', 'scopes', 'user_id', 'last_used_at', 'active'],
      ...['expires_at', 'token', 'access_level'],
    ])
    expect(issued).toMatchObject({ name: 'pipeline', scopes: ['api'], access_level: 30, expires_at: '2026-12-31' })
    const { token, ...shown } = issued
    expect((await manager.get(`${path}/${issued.id}`)).body).toEqual({ ...shown, last_used_ips: [] })
    expect((await manager.get(path)).body).toEqual([{ ...shown, last_used_ips: [] }])

    const bot = clientOf(server, issued)
    const { body } = await bot.get('/user')
    expect(body).toMatchObject({ id: issued.user_id, name: 'pipeline', bot: true, can_create_group: false })
    expect(body.username).toMatch(new RegExp(`^${noun}_${ownId}_bot_[0-9a-f]{32}$`))
    const readable = await bot.get(`/projects/${project.id}`)
    const access = readable.body.permissions[`${noun}_access`]
    expect(access).toMatchObject({ access_level: 30 })
    expect((await bot.get(`/projects/${project.id}/uploads`)).status).toBe(403)
    expect(await server.report(project, [])).toMatchObject({ status: 'done' })
  })

  test('is valid for 365 days and has the role Maintainer by default', async () => {
    const server = await startServer()
    const { manager, path } = await openPlace(server, noun)
    const issued = await create(manager, path, { access_level: undefined })
    expect(issued).toMatchObject({ expires_at: '2027-02-14', access_level: 40 })
    const refusal = async (change: object) => {
      const { status, body } = await manager.post(path, { ...draft, ...change })
      return { status, ...body }
    }
    expect(await refusal({ expires_at: '2027-02-15' })).toEqual({
      status: 400,
      message: '400 Bad request - Expiration date must be before 2027-02-14',
    })
    expect(await refusal({ name: ' ' })).toMatchObject({ message: "400 Bad request - Name can't be blank" })
    expect(await refusal({ scopes: [] })).toMatchObject({ message: "400 Bad request - Scopes can't be blank" })
    for (const scope of ['sudo', 'read_user', 'admin_mode', 'root']) {
      expect(await refusal({ scopes: [scope] })).toEqual({ status: 400, error: 'scopes does not have a valid value' })
    }
    expect(await refusal({ access_level: 35 })).toMatchObject({ error: 'access_level does not have a valid value' })
    expect(await refusal({ name: undefined, scopes: undefined })).toMatchObject({
      error: 'name is missing, scopes is missing',
    })
    expect((await server.admin.get('/users?exclude_humans=true')).body).toHaveLength(1)
  })

  test.runIf(onSqlite)('cannot have a role or scopes beyond those of the caller', async () => {
    const server = await startServer()
    const { manager, below, path } = await openPlace(server, noun)
    expect((await below.post(path, draft)).status).toBe(403)
    expect((await below.get(path)).status).toBe(403)
    if (noun === 'project') {
      expect(await manager.post(path, { ...draft, access_level: 50 })).toMatchObject({ status: 400 })
    }
    const owned = await create(server.admin, path, { access_level: 50 })
    if (noun === 'project') expect((await manager.post(`${path}/${owned.id}/rotate`)).status).toBe(400)
    const narrow = await server.client(manager, { scopes: ['read_api'] })
    expect((await narrow.post(path, draft)).status).toBe(403)
    expect((await narrow.get(path)).status).toBe(200)
  })

  test('is replaced by rotation, also by itself', async () => {
    const server = await startServer()
    const { manager, path } = await openPlace(server, noun)
    const first = await create(manager, path, { scopes: ['read_api', 'self_rotate'] })
    const { body: second } = await manager.post(`${path}/${first.id}/rotate`)
    expect(second).toMatchObject({ user_id: first.user_id, access_level: 30, expires_at: '2026-02-21' })
    expect((await clientOf(server, first).get('/user')).status).toBe(401)
    const third = await clientOf(server, second).post(`${path}/self/rotate`, { expires_at: '2026-03-01' })
    expect(third).toMatchObject({ status: 200, body: { user_id: first.user_id, expires_at: '2026-03-01' } })
    expect((await clientOf(server, third.body).get('/user')).status).toBe(200)
    expect(await manager.post(`${path}/${first.id}/rotate`)).toMatchObject({
      status: 400,
      body: { message: '400 Bad request - token already revoked' },
    })
    const states = async (query: string) =>
      (await manager.get(`${path}?${query}`)).body.map(({ id }: { id: number }) => id)
    expect(await states('state=active')).toEqual([third.body.id])
    expect(await states('state=inactive')).toEqual([first.id, second.id])
    expect(await states('revoked=true&sort=created_desc')).toEqual([second.id, first.id])
    // A second use of a replaced token revokes its successors.
    expect((await clientOf(server, second).post(`${path}/self/rotate`)).status).toBe(401)
    expect((await clientOf(server, third.body).get('/user')).status).toBe(401)
  })

  test.runIf(onSqlite)(
    'is removed with its bot when it is revoked, and the ghost user becomes the author',
    async () => {
      const server = await startServer()
      const { manager, path, project } = await openPlace(server, noun)
      const issued = await create(manager, path)
      const bot = clientOf(server, issued)
      const { id } = await server.vulnerability(project)
      expect(
        (await bot.post(`/projects/${project.id}/vulnerabilities/${id}/notes`, { body: 'by the bot' })).status,
      ).toBe(201)
      expect((await manager.delete(`${path}/${issued.id}`)).status).toBe(204)
      expect((await bot.get('/user')).status).toBe(401)
      expect((await server.admin.get(`/users/${issued.user_id}`)).status).toBe(404)
      const missing = `404 Could not find ${noun} access token with token_id: ${issued.id} Not Found`
      expect(await manager.get(`${path}/${issued.id}`)).toMatchObject({ status: 404, body: { message: missing } })
      expect((await manager.delete(`${path}/${issued.id}`)).status).toBe(404)
      const notes = await manager.get(`/projects/${project.id}/vulnerabilities/${id}/notes`)
      expect(notes.body).toMatchObject([{ body: 'by the bot', author: { name: 'Ghost User' } }])
    },
  )

  test('ends with its project or group, and at once when its bot is blocked', async () => {
    const server = await startServer()
    const { manager, path, place } = await openPlace(server, noun)
    const [blocked, kept] = [await create(manager, path), await create(manager, path)]
    expect((await server.admin.post(`/users/${blocked.user_id}/block`)).status).toBe(201)
    expect((await clientOf(server, blocked).get('/user')).status).toBe(403)
    expect((await clientOf(server, kept).get('/user')).status).toBe(200)
    expect((await server.admin.delete(place)).status).toBe(202)
    expect((await clientOf(server, kept).get('/user')).status).toBe(401)
    expect((await server.admin.get('/users?exclude_humans=true')).body).toEqual([])
  })

  test.runIf(onSqlite)('does not create, rotate or revoke other tokens', async () => {
    const server = await startServer()
    const { path } = await openPlace(server, noun)
    const [issued, other] = [
      await create(server.admin, path, { access_level: 50 }),
      await create(server.admin, path, { access_level: 10 }),
    ]
    const bot = clientOf(server, issued)
    expect(await bot.post(path, draft)).toMatchObject({
      status: 400,
      body: { message: `400 Bad request - User does not have permission to create ${noun} access token` },
    })
    expect((await bot.post(`${path}/${other.id}/rotate`)).status).toBe(400)
    expect((await bot.delete(`${path}/${other.id}`)).status).toBe(400)
    expect((await bot.post('/user/personal_access_tokens', { name: 'x', scopes: ['self_rotate'] })).status).toBe(403)
    expect((await bot.post(`${path}/${issued.id}/rotate`)).status).toBe(200)
  })

  test.runIf(onSqlite)('is unknown to other projects and groups', async () => {
    const server = await startServer()
    const { path } = await openPlace(server, noun)
    const issued = await create(server.admin, path)
    const elsewhere = await server.project('other/place')
    const others = [`/projects/${elsewhere.id}/access_tokens`, `/groups/${elsewhere['namespace'].id}/access_tokens`]
    const personal = await server.admin.get('/personal_access_tokens/self')
    expect((await server.admin.get(`${path}/${personal.body.id}`)).status).toBe(404)
    for (const other of others) {
      expect((await server.admin.get(other)).body).toEqual([])
      for (const refused of [
        await server.admin.get(`${other}/${issued.id}`),
        await server.admin.delete(`${other}/${issued.id}`),
        await server.admin.post(`${other}/${issued.id}/rotate`),
      ]) {
        expect(refused.status).toBe(404)
      }
    }
    expect(await server.admin.post(`${path}/self/rotate`)).toMatchObject({ status: 405 })
    expect((await clientOf(server, issued).get('/user')).status).toBe(200)
  })
})

describe('the bot of an access token', () => {
  test.runIf(onSqlite)('has no other credentials and no other memberships', async () => {
    const server = await startServer()
    const { path, place, project } = await openPlace(server, 'project')
    const { user_id: id, token } = await create(server.admin, path, { access_level: 50 })
    const { admin } = server
    expect((await admin.put(`/users/${id}`, { password: 'correct horse battery' })).status).toBe(403)
    expect((await admin.put(`/users/${id}`, { admin: true })).status).toBe(403)
    expect((await admin.post(`/users/${id}/personal_access_tokens`, { name: 'x', scopes: ['api'] })).status).toBe(403)
    expect((await admin.post(`/users/${id}/impersonation_tokens`, { name: 'x', scopes: ['api'] })).status).toBe(403)
    expect((await admin.post(`/users/${id}/password_links`)).status).toBe(403)
    expect((await server.anonymous.post('//-/sessions', { token })).status).toBe(403)
    expect((await admin.put(`${place}/members/${id}`, { access_level: 10 })).status).toBe(403)
    expect((await admin.delete(`${place}/members/${id}`)).status).toBe(403)
    const added = await admin.post(`/groups/${project['namespace'].id}/members`, { user_id: id, access_level: 30 })
    expect(added).toMatchObject({
      status: 400,
      body: { message: { user: ['project bots cannot be added to other groups / projects'] } },
    })
    expect((await admin.get(`${place}/members/${id}`)).body).toMatchObject({ access_level: 50 })
  })

  test.runIf(onSqlite)('does not count as an owner of the group', async () => {
    const server = await startServer()
    const nadia = await server.user('nadia')
    const group = (await nadia.post('/groups', { name: 'Acme', path: 'acme' })).body
    await create(nadia, `/groups/${group.id}/access_tokens`, { access_level: 50 })
    expect((await nadia.delete(`/groups/${group.id}/members/${nadia.user?.id}`)).status).toBe(403)
    expect((await server.admin.delete(`/users/${nadia.user?.id}`)).status).toBe(409)
    expect((await server.admin.delete(`/users/${nadia.user?.id}?hard_delete=true`)).status).toBe(204)
    expect((await server.admin.get('/users?exclude_humans=true')).body).toEqual([])
  })

  test.runIf(onSqlite)('is listed among the users unless only persons are requested', async () => {
    const server = await startServer()
    const { path } = await openPlace(server, 'project')
    const { user_id: id } = await create(server.admin, path)
    const ids = async (query: string) =>
      (await server.admin.get(`/users?${query}`)).body.map((user: { id: number }) => user.id)
    expect(await ids('')).toContain(id)
    expect(await ids('humans=true')).not.toContain(id)
    expect(await ids('without_project_bots=true')).not.toContain(id)
    expect(await ids('exclude_humans=true')).toEqual([id])
  })

  test('is deleted a month after its last token has expired', async () => {
    const server = await startServer()
    const { path } = await openPlace(server, 'project')
    const short = await create(server.admin, path, { expires_at: '2026-03-01' })
    const long = await create(server.admin, path, { expires_at: '2026-12-31' })
    clock.now = '2026-03-30T12:00:00.000Z'
    await removeIdleBots(server.deps)
    expect((await server.admin.get(`${path}?state=inactive`)).body).toMatchObject([{ id: short.id }])
    clock.now = '2026-03-31T12:00:00.000Z'
    await removeIdleBots(server.deps)
    expect((await server.admin.get(path)).body).toMatchObject([{ id: long.id }])
    expect((await server.admin.get(`/users/${short.user_id}`)).status).toBe(404)
  })
})
