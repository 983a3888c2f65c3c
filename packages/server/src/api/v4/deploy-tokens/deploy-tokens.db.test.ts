import sql from 'sql-template-tag'
import { beforeAll, describe, expect, test } from 'vitest'
import { digestToken } from '../../../domain/tokens/tokens.ts'
import { startServer, type TestServer } from '../../../testing/server.ts'

let server: TestServer
const clock = { now: '2026-03-01T12:00:00.000Z' }
beforeAll(async () => {
  server = await startServer({ clock })
})

let numbers = 0
const create = {
  async projects() {
    return `/projects/${(await server.project(`acme/deployed-${++numbers}`)).id}`
  },
  async groups() {
    const path = `deployed-${++numbers}`
    return `/groups/${(await server.admin.post('/groups', { name: path, path })).body.id}`
  },
}
const draft = { name: 'pull', scopes: ['read_registry'] }

describe.each(['projects', 'groups'] as const)('deploy tokens of %s', (kind) => {
  test('are created, read without their secret, and deleted', async () => {
    const base = `${await create[kind]()}/deploy_tokens`
    const created = await server.admin.post(base, { ...draft, expires_at: '2026-03-02T00:00:00.000Z' })
    const { token, ...shown } = created.body
    expect([created.status, shown]).toMatchObject([
      201,
      {
        ...draft,
        username: `gitlab+deploy-token-${shown.id}`,
        expires_at: '2026-03-02T00:00:00.000Z',
        revoked: false,
        expired: false,
      },
    ])
    expect(await server.admin.get(`${base}/${shown.id}`)).toMatchObject({ status: 200, body: shown })
    expect((await server.admin.get(base)).body).toEqual([shown])
    expect((await server.admin.get('/deploy_tokens?per_page=100')).body).toContainEqual(shown)
    expect((await server.admin.get(base)).text).not.toContain(token)
    const stored = await server.deps.db.all(sql`select * from deploy_tokens where id = ${shown.id}`)
    expect(stored).toMatchObject([{ tokenDigest: digestToken(token) }])
    expect(JSON.stringify(stored)).not.toContain(token)

    expect((await server.admin.delete(`${base}/${shown.id}`)).status).toBe(204)
    expect((await server.admin.get(`${base}/${shown.id}`)).status).toBe(404)
    expect((await server.admin.delete(`${base}/${shown.id}`)).status).toBe(404)
  })

  test('authenticate no request, because their scopes concern repositories and registries', async () => {
    const path = await create[kind]()
    const { token } = (await server.admin.post(`${path}/deploy_tokens`, draft)).body
    expect((await server.anonymous.get(path, { headers: { 'private-token': token } })).status).toBe(401)
    expect((await server.anonymous.get(path, { headers: { authorization: `Bearer ${token}` } })).status).toBe(401)
  })

  test('expire, and are then no longer active', async () => {
    const base = `${await create[kind]()}/deploy_tokens`
    await server.admin.post(base, { ...draft, expires_at: '2026-03-01T12:00:00.000Z' })
    const { id } = (await server.admin.post(base, { ...draft, username: 'puller' })).body
    expect((await server.admin.get(base)).body).toMatchObject([{ expired: true }, { id, expired: false }])
    expect((await server.admin.get(`${base}?active=true`)).body).toMatchObject([{ id, username: 'puller' }])
  })

  test.each([
    [{ name: 'x' }, { error: 'scopes is missing' }],
    [{ name: 'x', scopes: ['api'] }, { error: 'scopes does not have a valid value' }],
    [{ name: 'x', scopes: [] }, { message: { scopes: ["can't be blank"] } }],
    [{ scopes: ['read_registry'] }, { error: 'name is missing' }],
  ])('are not created from %j', async (input, body) => {
    const base = `${await create[kind]()}/deploy_tokens`
    expect(await server.admin.post(base, input)).toMatchObject({ status: 400, body })
    expect((await server.admin.get(base)).body).toEqual([])
  })

  test('belong to one place and are managed by its maintainers or owners', async () => {
    const [path, other] = [await create[kind](), await create[kind]()]
    const { id } = (await server.admin.post(`${path}/deploy_tokens`, draft)).body
    expect((await server.admin.get(`${other}/deploy_tokens/${id}`)).status).toBe(404)
    expect((await server.admin.delete(`${other}/deploy_tokens/${id}`)).status).toBe(404)
    const developer = await server.user(`developer-${++numbers}`)
    await server.admin.post(`${path}/members`, { user_id: developer.user?.id, access_level: 30 })
    expect((await developer.get(`${path}/deploy_tokens`)).status).toBe(403)
    expect((await developer.post(`${path}/deploy_tokens`, draft)).status).toBe(403)
    expect((await developer.delete(`${path}/deploy_tokens/${id}`)).status).toBe(403)
    expect((await developer.get('/deploy_tokens')).status).toBe(403)
    expect((await server.admin.get(`${path}/deploy_tokens/${id}`)).status).toBe(200)
  })
})
