import { beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../../testing/client.ts'
import { startServer, type TestServer } from '../../../testing/server.ts'

const password = 'correct horse battery'
let server: TestServer
let chief: Client
/** The administrator's tokens: one with the scope `api` only, and one with every scope. */
let narrow: Client
let wide: { id: number; token: string }

beforeAll(async () => {
  server = await startServer()
  chief = await server.user('chief', { admin: true })
  narrow = await server.client(chief, { scopes: ['api'] })
  wide = await issueWide()
})

async function issueWide(): Promise<{ id: number; token: string }> {
  const draft = { name: 'wide', scopes: ['api', 'sudo', 'admin_mode'] }
  const { body } = await server.admin.post(`/users/${chief.user?.id}/personal_access_tokens`, draft)
  return body
}

const beyond = (scope: string) => ({ status: 403, body: { error: 'insufficient_scope', scope } })

describe('a token cannot issue scopes beyond its own', () => {
  test('by rotating a wider token of its owner', async () => {
    expect(await narrow.post(`/personal_access_tokens/${wide.id}/rotate`)).toMatchObject(beyond('sudo admin_mode'))
    const headers = { 'private-token': wide.token }
    expect((await server.anonymous.get('/user', { headers })).status).toBe(200)
  })

  test('in admin mode', async () => {
    const guarded = await startServer({ settings: { adminMode: true } })
    const admin = await guarded.user('chief', { admin: true })
    const draft = { name: 'wide', scopes: ['api', 'admin_mode'] }
    const issued = await guarded.admin.post(`/users/${admin.user?.id}/personal_access_tokens`, draft)
    expect(issued.status).toBe(201)
    expect(await admin.post(`/personal_access_tokens/${issued.body.id}/rotate`)).toMatchObject(beyond('admin_mode'))
  })

  test.each(['personal_access_tokens', 'impersonation_tokens'])('by creating %s', async (kind) => {
    const path = `/users/${chief.user?.id}/${kind}`
    expect(await narrow.post(path, { name: 'x', scopes: ['api', 'sudo'] })).toMatchObject(beyond('sudo'))
    expect((await narrow.post(path, { name: 'x', scopes: ['api', 'read_user'] })).status).toBe(201)
  })

  test('through a browser that it signed in', async () => {
    const signedIn = await server.anonymous.post('//-/sessions', { token: narrow.token })
    const headers = { cookie: signedIn.cookies[0]?.split(';')[0] ?? '', 'x-alcove-session': '1' }
    const rotate = () => server.anonymous.post(`/personal_access_tokens/${wide.id}/rotate`, {}, { headers })
    expect(await rotate()).toMatchObject(beyond('sudo admin_mode'))
  })

  test('but rotates tokens that it covers, including itself', async () => {
    const reader = await server.admin.post(`/users/${chief.user?.id}/personal_access_tokens`, {
      name: 'reader',
      scopes: ['read_api', 'read_user', 'self_rotate'],
    })
    expect((await narrow.post(`/personal_access_tokens/${reader.body.id}/rotate`)).status).toBe(200)
    const own = await issueWide()
    const headers = { 'private-token': own.token }
    expect((await server.anonymous.post('/personal_access_tokens/self/rotate', {}, { headers })).status).toBe(200)
  })
})

test('a browser signed in with the password can rotate every token of its user', async () => {
  const signedIn = await server.anonymous.post('//-/sessions', { login: 'chief', password })
  const headers = { cookie: signedIn.cookies[0]?.split(';')[0] ?? '', 'x-alcove-session': '1' }
  const { id } = await issueWide()
  const rotated = await server.anonymous.post(`/personal_access_tokens/${id}/rotate`, {}, { headers })
  expect(rotated).toMatchObject({ status: 200, body: { scopes: ['api', 'sudo', 'admin_mode'] } })
})
