import { describe, expect, test } from 'vitest'
import { createClient } from '../../../testing/client.ts'
import { onSqlite } from '../../../testing/databases/database.ts'
import { startServer } from '../../../testing/server.ts'

const draft = {
  name: 'GitLab',
  issuer: 'https://gitlab.com',
  audience: 'https://alcove.test',
  claims: { project_path: ['acme/*', 'acme-labs/site'] },
}

describe.each(['project', 'group'] as const)('the trust relations of a %s', (noun) => {
  async function openPlace() {
    const server = await startServer()
    const project = await server.project('acme/site')
    const place = noun === 'project' ? `/projects/${project.id}` : `/groups/${project['namespace'].id}`
    return { server, place, path: `${place}/trust_relations` }
  }

  test('can be created, listed, changed and deleted', async () => {
    const { server, path, place } = await openPlace()
    const created = await server.admin.post(path, draft)
    expect(created.status).toBe(201)
    expect(created.body).toEqual({
      id: expect.any(Number),
      ...draft,
      default_branch_claims: { ref_protected: ['true'] },
      access_level: 30,
      scopes: ['write_security_reports'],
      jwks_url: null,
      jwks: null,
      user_id: expect.any(Number),
      created_at: expect.any(String),
      updated_at: expect.any(String),
      last_used_at: null,
    })
    const one = `${path}/${created.body.id}`
    expect((await server.admin.get(path)).body).toEqual([created.body])
    expect((await server.admin.get(one)).body).toEqual(created.body)
    const change = { name: 'CI', access_level: 20, claims: { sub: 'repo:acme/*' }, jwks_url: 'https://gitlab.com/keys' }
    const changed = await server.admin.put(one, change)
    expect(changed).toMatchObject({ status: 200, body: { ...change, claims: { sub: ['repo:acme/*'] } } })
    const bot = await server.admin.get(`${place}/members/${created.body.user_id}`)
    expect(bot.body).toMatchObject({ access_level: 20, username: expect.stringContaining(`${noun}_`) })
    expect((await server.admin.delete(one)).status).toBe(204)
    for (const gone of [await server.admin.get(one), await server.admin.put(one, {}), await server.admin.delete(one)]) {
      expect(gone).toMatchObject({ status: 404, body: { message: '404 Not found' } })
    }
    expect((await server.admin.get('/users?exclude_humans=true')).body).toEqual([])
  })

  test.runIf(onSqlite)('are deleted with it', async () => {
    const { server, path, place } = await openPlace()
    await server.admin.post(path, draft)
    expect((await server.admin.delete(place)).status).toBe(202)
    expect((await server.admin.get('/users?exclude_humans=true')).body).toEqual([])
  })

  test.runIf(onSqlite)('cannot give more than the caller has, and bots cannot manage them', async () => {
    const { server, place, path } = await openPlace()
    const manager = await server.user('manager')
    const level = noun === 'project' ? 40 : 50
    await server.admin.post(`${place}/members`, { user_id: manager.user?.id, access_level: level })
    if (noun === 'project') expect((await manager.post(path, { ...draft, access_level: 50 })).status).toBe(403)
    const owned = await server.admin.post(path, { ...draft, access_level: 50 })
    if (noun === 'project') expect((await manager.put(`${path}/${owned.body.id}`, { name: 'mine' })).status).toBe(403)
    expect((await manager.post(path, { ...draft, scopes: ['sudo'] })).status).toBe(400)
    expect((await manager.post(path, draft)).status).toBe(201)
    const token = await server.admin.post(`${place}/access_tokens`, { name: 'x', scopes: ['api'], access_level: 50 })
    const bot = createClient(server.app, { token: token.body.token })
    expect((await bot.post(path, draft)).status).toBe(403)
    expect((await bot.put(`${path}/${owned.body.id}`, { name: 'mine' })).status).toBe(403)
    expect((await bot.delete(`${path}/${owned.body.id}`)).status).toBe(403)
  })

  test.runIf(onSqlite)('are unknown to other projects and groups', async () => {
    const { server, path } = await openPlace()
    const { body } = await server.admin.post(path, draft)
    const elsewhere = await server.project('other/place')
    for (const other of [`/projects/${elsewhere.id}`, `/groups/${elsewhere['namespace'].id}`]) {
      expect((await server.admin.get(`${other}/trust_relations/${body.id}`)).status).toBe(404)
      expect((await server.admin.delete(`${other}/trust_relations/${body.id}`)).status).toBe(404)
    }
  })
})

const key = { kty: 'EC', crv: 'P-256', x: 'x', y: 'y', kid: 'a' }

test.runIf(onSqlite).each([
  [{ issuer: 'http://gitlab.com' }, { message: { issuer: ['is not a usable HTTPS address'] } }],
  [{ issuer: 'gitlab' }, { message: { issuer: ['is not a usable HTTPS address'] } }],
  [{ issuer: 'https://192.168.0.1' }, { message: { issuer: ['is not a usable HTTPS address'] } }],
  [{ audience: ' ' }, { message: { audience: ["can't be blank"] } }],
  [{ name: 'x'.repeat(256) }, { message: { name: ['is too long (maximum is 255 characters)'] } }],
  [{ claims: {} }, { message: { claims: ['must restrict at least one claim, such as project_path or sub'] } }],
  [
    { claims: { sub: '*' } },
    { message: { claims: ['must restrict at least one claim, such as project_path or sub'] } },
  ],
  [{ claims: { sub: { a: 1 } } }, { error: 'claims is invalid' }],
  [{ default_branch_claims: { sub: [] } }, { error: 'default_branch_claims is invalid' }],
  [{ scopes: [] }, { message: { scopes: ["can't be blank"] } }],
  [{ jwks: { keys: [] } }, { error: 'jwks is invalid' }],
  [{ jwks: { keys: [{ ...key, d: 'secret' }] } }, { error: 'jwks is invalid' }],
  [{ jwks: { keys: [{ kty: 'oct', k: 'secret' }] } }, { error: 'jwks is invalid' }],
  [
    { jwks: { keys: [key] }, jwks_url: 'https://gitlab.com/keys' },
    { message: { jwks: ['cannot be combined with jwks_url'] } },
  ],
])('a trust relation with %j is rejected', async (change, body) => {
  const server = await startServer()
  const project = await server.project('acme/site')
  const path = `/projects/${project.id}/trust_relations`
  expect(await server.admin.post(path, { ...draft, ...change })).toMatchObject({ status: 400, body })
  expect((await server.admin.get(path)).body).toEqual([])
})
