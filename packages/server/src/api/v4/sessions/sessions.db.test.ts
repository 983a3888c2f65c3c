import sql from 'sql-template-tag'
import { beforeAll, describe, expect, test } from 'vitest'
import { createPasswordLink } from '../../../domain/sign-in/passwords/password-links.ts'
import type { Client, Reply } from '../../../testing/client.ts'
import { onSqlite } from '../../../testing/databases/database.ts'
import { startServer, type TestServer } from '../../../testing/server.ts'

const password = 'correct horse battery'
let server: TestServer
let nadia: Client
beforeAll(async () => {
  server = await startServer()
  nadia = await server.user('nadia')
})

interface Browser {
  cookie: string
  headers: Record<string, string>
  get(path: string, headers?: Record<string, string>): Promise<Reply>
  send(
    method: 'post' | 'put' | 'delete',
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Reply>
}

/** Returns a client with the session of a signed-in browser, with the origin of our pages. */
async function browserOf(
  username = 'nadia',
  secret = password,
  from = server,
  agent = 'Browser/1.0',
): Promise<Browser> {
  const signedIn = await from.anonymous.post(
    '//-/sessions',
    { login: username, password: secret },
    { headers: { 'user-agent': agent } },
  )
  expect(signedIn.status).toBe(201)
  const cookie = signedIn.headers['set-cookie']?.split(';')[0] ?? ''
  const headers = { cookie, 'x-alcove-session': '1', origin: 'http://localhost' }
  return {
    cookie,
    headers,
    get: (path, more) => from.anonymous.get(path, { headers: { ...headers, ...more } }),
    send: (method, path, body, more) => from.anonymous[method](path, body, { headers: { ...headers, ...more } }),
  }
}

const unauthorized = { status: 401, body: { message: '401 Unauthorized' } }
const forbidden = { status: 403, body: { message: '403 Forbidden' } }

describe('a signed-in browser', () => {
  test.runIf(onSqlite)('calls the API with its user’s permissions from our own pages', async () => {
    const browser = await browserOf()
    expect(await browser.get('/user')).toMatchObject({ status: 200, body: { username: 'nadia' } })
    expect(await browser.send('post', '/projects', { name: 'by browser' })).toMatchObject({ status: 201 })
    expect(await browser.send('post', '/topics', { name: 'a', title: 'A' })).toMatchObject(forbidden)
  })

  test.runIf(onSqlite)('is authenticated only with the header that a foreign form or image cannot send', async () => {
    const { cookie } = await browserOf()
    for (const headers of [{ cookie }, { cookie, 'x-alcove-session': '' }, { cookie, 'x-alcove-session': 'true' }]) {
      expect(await server.anonymous.get('/user', { headers })).toMatchObject(unauthorized)
      expect(await server.anonymous.post('/projects', { name: 'forged' }, { headers })).toMatchObject(unauthorized)
      expect(await server.anonymous.get('/topics', { headers })).toMatchObject({ status: 200 })
    }
  })

  test.runIf(onSqlite)('is rejected for a page of another origin, as is its preflight', async () => {
    const browser = await browserOf()
    const origin = 'https://evil.example'
    expect(await browser.get('/user', { origin })).toMatchObject(forbidden)
    expect(await browser.send('post', '/projects', { name: 'forged' }, { origin })).toMatchObject(forbidden)
    expect(await browser.get('/user', { origin: 'null' })).toMatchObject(forbidden)

    const { headers } = await server.app.inject({
      method: 'OPTIONS',
      url: '/api/v4/user',
      headers: { origin, 'access-control-request-headers': 'x-alcove-session' },
    })
    expect(headers['access-control-allow-origin']).toBe('*')
    expect(headers['access-control-allow-credentials']).toBeUndefined()
  })

  test.runIf(onSqlite)('is anonymous with a forged or expired cookie', async () => {
    const headers = { 'x-alcove-session': '1', cookie: 'alcove_session=made-up' }
    expect(await server.anonymous.get('/user', { headers })).toMatchObject(unauthorized)
    expect(await server.anonymous.get('/topics', { headers })).toMatchObject({ status: 200 })
  })

  test.runIf(onSqlite)('uses the token when it sends one as well', async () => {
    const browser = await browserOf()
    const other = await server.user('other')
    expect((await browser.get('/user', { 'private-token': other.token ?? '' })).body.username).toBe('other')
  })

  test.runIf(onSqlite)('cannot use token endpoints for itself or sudo', async () => {
    const browser = await browserOf()
    const noToken = {
      status: 400,
      body: { message: '400 Bad request - This endpoint requires token type to be a personal access token' },
    }
    expect(await browser.get('/personal_access_tokens/self')).toMatchObject(noToken)
    expect(await browser.send('delete', '/personal_access_tokens/self')).toMatchObject(noToken)
    expect(await browser.send('post', '/personal_access_tokens/self/rotate')).toMatchObject(noToken)
    expect(await browser.get('/personal_access_tokens')).toMatchObject({ status: 200 })

    await server.user('chief', { admin: true })
    const chief = await browserOf('chief')
    expect(await chief.get('/user?sudo=nadia')).toMatchObject({
      status: 403,
      body: {
        message: '403 Forbidden - Must be authenticated using an OAuth or personal access token to use sudo',
      },
    })
    expect(await chief.send('post', '/topics', { name: 'by-browser', title: 'By browser' })).toMatchObject({
      status: 201,
    })
  })

  test('is signed out when its user is blocked', async () => {
    const user = await server.user('leaver')
    const browser = await browserOf('leaver')
    expect((await browser.get('/user')).status).toBe(200)
    await server.admin.post(`/users/${user.user?.id}/block`)
    expect(await browser.get('/user')).toMatchObject(unauthorized)
  })
})

describe.runIf(onSqlite)('a browser signed in with a token', () => {
  async function browserWith(token: string | undefined): Promise<Browser> {
    const signedIn = await server.anonymous.post('//-/sessions', { token })
    expect(signedIn.status).toBe(201)
    const cookie = signedIn.headers['set-cookie']?.split(';')[0] ?? ''
    const headers = { cookie, 'x-alcove-session': '1', origin: 'http://localhost' }
    return {
      cookie,
      headers,
      get: (path, more) => server.anonymous.get(path, { headers: { ...headers, ...more } }),
      send: (method, path, body, more) => server.anonymous[method](path, body, { headers: { ...headers, ...more } }),
    }
  }

  test('has the scopes of the token', async () => {
    const reader = await browserWith((await server.client(nadia, { scopes: ['read_api'] })).token)
    expect(await reader.get('/user')).toMatchObject({ status: 200, body: { username: 'nadia' } })
    expect(await reader.send('post', '/projects', { name: 'by reader' })).toMatchObject({ status: 403 })
    expect((await reader.get('//-/session')).body).toMatchObject({
      user: { username: 'nadia' },
      scopes: ['read_api'],
      has_password: false,
    })
    expect(await reader.send('delete', '//-/sessions')).toMatchObject({ status: 200 })
    expect(await reader.get('/user')).toMatchObject(unauthorized)
  })

  test('cannot create tokens or enter admin mode: both require the password', async () => {
    const root = await browserWith(server.admin.token)
    const draft = { name: 'more', scopes: 'api', expires_at: '2030-01-01' }
    expect(await root.send('post', '//-/personal_access_tokens', draft)).toMatchObject({ status: 403 })
    expect(await root.send('post', '//-/sessions/admin_mode', { password })).toMatchObject({ status: 403 })
    expect(await root.get('/admin/jobs')).toMatchObject({ status: 200 })
  })

  test('is signed out when the token is revoked', async () => {
    const token = await server.client(nadia, { scopes: ['api'] })
    const browser = await browserWith(token.token)
    expect((await browser.get('/user')).status).toBe(200)
    await token.delete('/personal_access_tokens/self')
    expect(await browser.get('/user')).toMatchObject(unauthorized)
  })

  test('needs a valid token with a read scope', async () => {
    const narrow = await server.client(nadia, { scopes: ['read_user'] })
    expect(await server.anonymous.post('//-/sessions', { token: narrow.token })).toMatchObject({ status: 403 })
    expect(await server.anonymous.post('//-/sessions', { token: 'made up' })).toMatchObject(unauthorized)
    const both = { token: 'x', login: 'nadia', password }
    expect(await server.anonymous.post('//-/sessions', both)).toMatchObject({ status: 400 })
    expect(await server.anonymous.post('//-/sessions', { login: 'nadia' })).toMatchObject({ status: 400 })
  })
})

describe.runIf(onSqlite)('GET /-/session', () => {
  test('returns the server’s rules and no user for an anonymous request', async () => {
    const { status, body } = await server.anonymous.get('//-/session')
    expect(status).toBe(200)
    expect(body).toMatchObject({ user: null, is_admin: false, scopes: [], topic_creation: 'anyone' })
    expect(body).toMatchObject({ triage_access_level: 40, max_upload_bytes: 100 * 1024 * 1024, upload_grace_days: 7 })
  })

  test('returns the signed-in user and their permissions', async () => {
    const { body } = await (await browserOf()).get('//-/session')
    expect(body).toMatchObject({ user: { username: 'nadia' }, is_admin: false, has_password: true })
    expect(body.scopes).toContain('api')
    expect(body.user).not.toHaveProperty('is_admin')
  })
})

describe.runIf(onSqlite)('the sessions of a user', () => {
  test('are listed newest first, with address, browser and last use, to that user only', async () => {
    await server.user('traveller')
    const laptop = await browserOf('traveller', password, server, 'Laptop/1')
    const phone = await browserOf('traveller', password, server, 'Phone/2')
    await laptop.get('/user')
    await expect.poll(async () => (await phone.get('//-/sessions')).body[1].last_used_at).toMatch(/Z$/)

    const { body, text } = await phone.get('//-/sessions')
    expect(body).toMatchObject([
      { user_agent: 'Phone/2', address: '127.0.0.1', current: true },
      { user_agent: 'Laptop/1', address: '127.0.0.1', current: false },
    ])
    expect(Object.keys(body[0])).toEqual([
      ...['id', 'created_at', 'last_used_at', 'expires_at', 'address', 'user_agent', 'current'],
    ])
    expect(text).not.toContain(phone.cookie.split('=')[1])
    const others = await (await browserOf()).get('//-/sessions')
    expect(others.body.map(({ id }: { id: number }) => id)).not.toContain(body[0].id)
    expect((await server.anonymous.get('//-/sessions')).status).toBe(401)
  })

  test('can be revoked one by one, by that user only', async () => {
    await server.user('careful')
    const lost = await browserOf('careful')
    const here = await browserOf('careful')
    const [, { id }] = (await here.get('//-/sessions')).body
    const stranger = await browserOf()
    expect(await stranger.send('delete', `//-/sessions/${id}`)).toMatchObject({ status: 404 })
    expect((await lost.get('/user')).status).toBe(200)

    expect(await here.send('delete', `//-/sessions/${id}`)).toMatchObject({ status: 204, text: '' })
    expect(await lost.get('/user')).toMatchObject(unauthorized)
    expect((await here.get('/user')).status).toBe(200)
    expect(await here.send('delete', `//-/sessions/${id}`)).toMatchObject({
      status: 404,
      body: { message: '404 Not found' },
    })
    expect((await here.send('delete', '//-/sessions/x')).status).toBe(400)
  })

  test('require the scope api with a token', async () => {
    const reader = await server.client(nadia, { scopes: ['read_api'] })
    expect((await reader.get('//-/sessions')).status).toBe(403)
    expect((await nadia.get('//-/sessions')).status).toBe(200)
  })
})

describe.runIf(onSqlite)('changing one’s own password', () => {
  const next = 'a quite different one'

  test('requires the current password, and signs other browsers out', async () => {
    await server.user('changer')
    const other = await browserOf('changer')
    const here = await browserOf('changer')
    const change = { current_password: password, password: next }
    expect(await here.send('put', '//-/password', change, { origin: 'https://evil.example' })).toMatchObject(forbidden)
    expect(await here.send('put', '//-/password', { ...change, current_password: 'guess' })).toMatchObject({
      status: 400,
      body: { message: { current_password: ['is invalid'] } },
    })
    expect(await here.send('put', '//-/password', { ...change, password: 'short' })).toMatchObject({
      status: 400,
      body: { message: { password: ['is too short (minimum is 8 characters)'] } },
    })
    expect((await other.get('/user')).status).toBe(200)

    expect(await here.send('put', '//-/password', change)).toMatchObject({ status: 204, text: '' })
    expect((await here.get('/user')).status).toBe(200)
    expect((await other.get('/user')).status).toBe(401)
    expect((await server.anonymous.post('//-/sessions', { login: 'changer', password })).status).toBe(401)
    await browserOf('changer', next)
  })

  test('limits wrong current passwords from a signed-in browser', async () => {
    await server.user('left-alone')
    const browser = await browserOf('left-alone')
    const guess = () => browser.send('put', '//-/password', { current_password: 'guess', password: next })
    for (let count = 0; count < 10; count++) expect((await guess()).status).toBe(400)
    expect(await guess()).toMatchObject({
      status: 429,
      body: { message: { error: 'This endpoint has been requested too many times. Try again later.' } },
    })
  })
})

describe('a password link', () => {
  const next = 'set by the link'

  test('can be used once, even by concurrent requests', async () => {
    const user = await server.user('newcomer')
    const browser = await browserOf('newcomer')
    const { status, body } = await server.admin.post(`/users/${user.user?.id}/password_links`)
    expect(status).toBe(201)
    const redeem = (text: string) => server.anonymous.post('//-/password', { token: body.token, password: text })
    expect(await redeem('short')).toMatchObject({ status: 400 })

    const answers = await Promise.all([redeem(next), redeem(next), redeem(next)])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 401, 401])
    expect((await browser.get('/user')).status).toBe(401)
    await browserOf('newcomer', next)
  })

  test.runIf(onSqlite)('signs the browser in, returns the user, and revokes tokens on request', async () => {
    const user = await server.user('invited')
    const { body } = await server.admin.post(`/users/${user.user?.id}/password_links`)
    const given = { token: body.token, password: next, revoke_tokens: true }
    const reply = await server.anonymous.post('//-/password', given)
    expect(reply).toMatchObject({ status: 201, body: { id: user.user?.id, username: 'invited' } })
    const headers = { cookie: reply.headers['set-cookie']?.split(';')[0] ?? '', 'x-alcove-session': '1' }
    expect(await server.anonymous.get('/user', { headers })).toMatchObject({ status: 200, body: { id: user.user?.id } })
    expect((await user.get('/user')).status).toBe(401)
  })

  test('does not sign in a blocked user, and becomes invalid when its user is blocked', async () => {
    const user = await server.user('expelled')
    const old = await server.admin.post(`/users/${user.user?.id}/password_links`)
    await server.admin.post(`/users/${user.user?.id}/block`)
    const redeem = (token: string) => server.anonymous.post('//-/password', { token, password: next })
    expect(await redeem(old.body.token)).toMatchObject(unauthorized)
    const { body } = await server.admin.post(`/users/${user.user?.id}/password_links`)
    const refused = await redeem(body.token)
    expect(refused).toMatchObject({ status: 403, body: { message: '403 Forbidden - Your account has been blocked.' } })
    expect(refused.cookies).toEqual([])
  })

  test.runIf(onSqlite)('is not created for the ghost user, which cannot sign in', async () => {
    const server = await startServer()
    const leaver = await server.user('leaver')
    await server.admin.delete(`/users/${leaver.user?.id}`)
    const { body } = await server.admin.get('/users?username=ghost')
    const ghosts = await server.deps.db.all<{ id: number }>(sql`select id from users where is_ghost = true`)
    expect(body).toEqual([])
    for (const { id } of ghosts) expect((await server.admin.post(`/users/${id}/password_links`)).status).toBe(403)
    expect(ghosts).toHaveLength(1)
  })

  test.runIf(onSqlite)('is stored as a digest only', async () => {
    const server = await startServer()
    const { secret } = await createPasswordLink(server.deps, 1)
    const rows = await server.deps.db.all(sql`select * from password_links`)
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(secret)
  })

  test.runIf(onSqlite)('is valid for a day, or until a newer one is created', async () => {
    const clock = { now: '2026-05-01T10:00:00.000Z' }
    const server = await startServer({ clock })
    const old = await createPasswordLink(server.deps, 1)
    const { secret, expiresAt } = await createPasswordLink(server.deps, 1)
    expect(expiresAt).toBe('2026-05-02T10:00:00.000Z')
    const redeem = (token: string) => server.anonymous.post('//-/password', { token, password: next })
    expect(await redeem(old.secret)).toMatchObject(unauthorized)
    clock.now = expiresAt
    expect(await redeem(secret)).toMatchObject(unauthorized)
    expect(await redeem('made-up')).toMatchObject(unauthorized)
    clock.now = '2026-05-02T09:59:59.999Z'
    expect(await redeem(secret)).toMatchObject({ status: 201 })
    await browserOf('root', next, server)
  })

  test.runIf(onSqlite)('is created by administrators only', async () => {
    expect(await nadia.post(`/users/${nadia.user?.id}/password_links`)).toMatchObject(forbidden)
    expect(await server.admin.post('/users/999999/password_links')).toMatchObject({
      status: 404,
      body: { message: '404 User Not Found' },
    })
  })
})

describe.runIf(onSqlite)('a token created in a browser', () => {
  const draft = { name: 'laptop', scopes: ['api', 'read_user'], expires_at: '2099-01-01' }
  const inMay = { ...draft, expires_at: '2026-06-01' }

  test('may have every scope that its user may have', async () => {
    const server = await startServer({ clock: { now: '2026-05-01T10:00:00.000Z' } })
    await server.user('maker')
    const browser = await browserOf('maker', password, server)
    const made = await browser.send('post', '//-/personal_access_tokens', inMay)
    expect(made).toMatchObject({ status: 201, body: { scopes: ['api', 'read_user'], expires_at: '2026-06-01' } })
    const headers = { 'private-token': made.body.token }
    expect((await server.anonymous.get('/user', { headers })).body.username).toBe('maker')
    expect(await browser.send('post', '//-/personal_access_tokens', draft)).toMatchObject({ status: 422 })
    expect(await browser.send('post', '//-/personal_access_tokens', { ...inMay, scopes: ['sudo'] })).toMatchObject({
      status: 400,
      body: { error: 'scopes does not have a valid value' },
    })
    await server.user('chief', { admin: true })
    const chief = await browserOf('chief', password, server)
    expect(await chief.send('post', '//-/personal_access_tokens', { ...inMay, scopes: ['sudo'] })).toMatchObject({
      status: 201,
    })
  })

  test('cannot be created with a token or from another site', async () => {
    expect(await nadia.post('//-/personal_access_tokens', draft)).toMatchObject(forbidden)
    const browser = await browserOf()
    const origin = 'https://evil.example'
    expect(await browser.send('post', '//-/personal_access_tokens', draft, { origin })).toMatchObject(forbidden)
    expect((await server.anonymous.post('//-/personal_access_tokens', draft)).status).toBe(401)
  })
})

describe.runIf(onSqlite)('admin mode', () => {
  test('grants administrator rights to a browser for six hours after the password', async () => {
    const clock = { now: '2026-05-01T10:00:00.000Z' }
    const server = await startServer({ clock, settings: { adminMode: true } })
    await server.user('chief', { admin: true })
    const browser = await browserOf('chief', password, server)
    const create = (name: string) => browser.send('post', '/topics', { name, title: name })
    expect(await create('first')).toMatchObject(forbidden)
    expect(await browser.send('post', '//-/sessions/admin_mode', { password: 'guess' })).toMatchObject(unauthorized)

    expect(await browser.send('post', '//-/sessions/admin_mode', { password })).toMatchObject({ status: 204 })
    expect(await create('first')).toMatchObject({ status: 201 })
    expect(await browser.send('delete', '//-/sessions/admin_mode')).toMatchObject({ status: 204 })
    expect(await create('second')).toMatchObject(forbidden)

    await browser.send('post', '//-/sessions/admin_mode', { password })
    clock.now = '2026-05-01T16:00:00.000Z'
    expect(await create('third')).toMatchObject(forbidden)
  })

  test('requires a browser session', async () => {
    expect(await nadia.post('//-/sessions/admin_mode', { password })).toMatchObject(forbidden)
    expect(await nadia.delete('//-/sessions/admin_mode')).toMatchObject(forbidden)
  })
})

test.runIf(onSqlite)('a deactivated user becomes active by signing in', async () => {
  const user = await server.user('dormant')
  expect(await server.admin.post(`/users/${user.user?.id}/deactivate`)).toMatchObject({ status: 201, text: 'true' })
  expect(await user.get('/user')).toMatchObject({
    status: 403,
    body: {
      message:
        '403 Forbidden - Your account has been deactivated by your administrator. Please log back in to reactivate it.',
    },
  })
  await browserOf('dormant')
  expect(await user.get('/user')).toMatchObject({ status: 200, body: { state: 'active' } })
})
