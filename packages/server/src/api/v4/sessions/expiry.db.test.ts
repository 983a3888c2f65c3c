import { beforeAll, describe, expect, test } from 'vitest'
import type { Reply } from '../../../testing/client.ts'
import { onSqlite } from '../../../testing/databases/database.ts'
import { startServer, type TestOptions, type TestServer } from '../../../testing/server.ts'

const password = 'correct horse battery'
const start = '2026-05-01T10:00:00.000Z'

interface Browser {
  get(path: string): Promise<Reply>
  send(method: 'post' | 'put' | 'delete', path: string, body?: unknown): Promise<Reply>
}

async function browserOf(server: TestServer, login: string, proof: object = { login, password }): Promise<Browser> {
  const { status, cookies } = await server.anonymous.post('//-/sessions', proof)
  expect(status).toBe(201)
  const headers = { cookie: cookies[0]?.split(';')[0] ?? '', 'x-alcove-session': '1', origin: 'http://localhost' }
  return {
    get: (path) => server.anonymous.get(path, { headers }),
    send: (method, path, body) => server.anonymous[method](path, body, { headers }),
  }
}

/** Starts a server with a signed-in user and a clock that the test sets. */
async function startAt(options: TestOptions = {}) {
  const clock = { now: start }
  const server = await startServer({ ...options, clock })
  const user = await server.user('nadia')
  return { clock, server, user, browser: await browserOf(server, 'nadia') }
}

const later = (minutes: number) => new Date(Date.parse(start) + minutes * 60_000).toISOString()
const day = 24 * 60

describe('a session ends', () => {
  test.runIf(onSqlite)('after a week without a request', async () => {
    const { clock, browser, server } = await startAt()
    clock.now = later(6 * day)
    expect((await browser.get('/user')).status).toBe(200)
    // The use is recorded in the background.
    await expect
      .poll(async () => (await browserOf(server, 'nadia').then((one) => one.get('//-/sessions'))).body.at(-1))
      .toMatchObject({ last_used_at: clock.now })
    clock.now = later(12 * day)
    expect((await browser.get('/user')).status).toBe(200)
    const other = await startAt({ settings: { sessionIdleMs: 60_000 } })
    other.clock.now = later(1)
    expect((await other.browser.get('/user')).status).toBe(401)
    expect((await (await browserOf(other.server, 'nadia')).get('//-/sessions')).body).toHaveLength(1)
  })

  test.runIf(onSqlite)('after two weeks, even when it is used', async () => {
    const { clock, browser } = await startAt()
    for (const days of [5, 10]) {
      clock.now = later(days * day)
      expect((await browser.get('/user')).status).toBe(200)
    }
    clock.now = later(14 * day)
    expect((await browser.get('/user')).status).toBe(401)
  })

  test.each(['block', 'ban', 'deactivate'] as const)('for good when its user is affected by %s', async (step) => {
    const { server, user, browser } = await startAt()
    await server.admin.post(`/users/${user.user?.id}/${step}`)
    expect((await browser.get('/user')).status).toBe(401)
    const back = { block: 'unblock', ban: 'unban', deactivate: 'activate' }[step]
    expect((await server.admin.post(`/users/${user.user?.id}/${back}`)).status).toBe(201)
    expect((await browser.get('/user')).status).toBe(401)
    expect((await browserOf(server, 'nadia').then((one) => one.get('/user'))).status).toBe(200)
  })

  test.runIf(onSqlite)('when an administrator ends all sessions of its user', async () => {
    const { server, user, browser } = await startAt()
    const path = `/users/${user.user?.id}/sessions`
    expect((await user.delete(path)).status).toBe(403)
    expect((await browser.get('/user')).status).toBe(200)
    expect(await server.admin.delete(path)).toMatchObject({ status: 204 })
    expect((await browser.get('/user')).status).toBe(401)
    expect((await user.get('/user')).status).toBe(200)
    expect((await server.admin.delete('/users/99999/sessions')).status).toBe(404)
  })
})

describe.runIf(onSqlite)('a session without a recent password confirmation', () => {
  const refused = { status: 403, body: { error: 'reauthentication_required' } }
  let at: Awaited<ReturnType<typeof startAt>>
  let tokenId: number
  beforeAll(async () => {
    at = await startAt()
    const made = await at.browser.send('post', '//-/personal_access_tokens', { name: 'first', scopes: ['api'] })
    expect(made).toMatchObject({ status: 201, body: { expires_at: '2026-05-31' } })
    tokenId = made.body.id
    at.clock.now = later(15)
  })

  test.each([
    ['post', '//-/personal_access_tokens', { name: 'more', scopes: ['api'] }],
    ['post', '/user/personal_access_tokens', { name: 'narrow', scopes: ['self_rotate'] }],
    ['post', '/personal_access_tokens/:token/rotate', {}],
    ['delete', '//-/sessions/1', undefined],
  ] as const)('cannot %s %s', async (method, path, body) => {
    expect(await at.browser.send(method, path.replace(':token', String(tokenId)), body)).toMatchObject(refused)
  })

  test('cannot list the user’s sessions, and can make other requests', async () => {
    expect(await at.browser.get('//-/sessions')).toMatchObject(refused)
    expect((await at.browser.get('/user')).status).toBe(200)
    expect((await at.browser.get('/personal_access_tokens')).status).toBe(200)
    expect((await at.user.get('//-/sessions')).status).toBe(200)
  })

  test('can confirm the password, for another period', async () => {
    const confirm = (body: object) => at.browser.send('post', '//-/sessions/confirm', body)
    expect((await confirm({ password: 'wrong' })).status).toBe(401)
    expect((await confirm({ token: at.user.token })).status).toBe(401)
    expect((await confirm({})).status).toBe(400)
    expect(await at.browser.get('//-/sessions')).toMatchObject(refused)
    expect(await confirm({ password })).toMatchObject({ status: 204 })
    expect((await at.browser.get('//-/sessions')).status).toBe(200)
    at.clock.now = later(30)
    expect(await at.browser.get('//-/sessions')).toMatchObject(refused)
  })

  test('of an administrator cannot create credentials or grant access', async () => {
    const { server } = at
    await server.user('chief', { admin: true })
    at.clock.now = start
    const chief = await browserOf(server, 'chief')
    const user = at.user.user?.id
    at.clock.now = later(15)
    const draft = { name: 'x', scopes: ['api'] }
    expect(await chief.send('post', `/users/${user}/personal_access_tokens`, draft)).toMatchObject(refused)
    expect(await chief.send('post', `/users/${user}/impersonation_tokens`, draft)).toMatchObject(refused)
    expect(await chief.send('post', `/users/${user}/password_links`)).toMatchObject(refused)
    for (const change of [{ password: 'a new password' }, { admin: true }, { email: 'other@example.test' }]) {
      expect(await chief.send('put', `/users/${user}`, change)).toMatchObject(refused)
    }
    expect((await chief.send('put', `/users/${user}`, { name: 'New', admin: false })).status).toBe(200)
  })

  test('started with a token is confirmed with that token', async () => {
    const { server, user } = await startAt()
    const other = await server.client(user, { scopes: ['api'] })
    const browser = await browserOf(server, 'nadia', { token: user.token })
    expect((await browser.send('post', '//-/sessions/confirm', { password })).status).toBe(401)
    expect((await browser.send('post', '//-/sessions/confirm', { token: other.token })).status).toBe(401)
    expect((await browser.send('post', '//-/sessions/confirm', { token: user.token })).status).toBe(204)
    expect((await user.post('//-/sessions/confirm', { token: user.token })).status).toBe(403)
  })
})

describe.runIf(onSqlite)('a new password', () => {
  test('confirms its browser’s session, and revokes tokens on request', async () => {
    const { clock, browser, user } = await startAt()
    clock.now = later(20)
    const change = { current_password: password, password: 'a quite different one' }
    expect((await browser.send('put', '//-/password', change)).status).toBe(204)
    expect((await browser.get('//-/sessions')).status).toBe(200)
    expect((await user.get('/user')).status).toBe(200)
    const again = { current_password: 'a quite different one', password: 'and another one', revoke_tokens: true }
    expect((await browser.send('put', '//-/password', again)).status).toBe(204)
    expect((await user.get('/user')).status).toBe(401)
    expect((await browser.get('/user')).status).toBe(200)
  })

  test('is rejected everywhere when it is common or the username', async () => {
    const { server, browser, user } = await startAt()
    const weak = {
      status: 400,
      body: { message: { password: ['must not contain commonly used combinations of words and letters'] } },
    }
    const { body } = await server.admin.post(`/users/${user.user?.id}/password_links`)
    for (const word of ['password', 'Passw0rd!', '12345678', 'nadia1234']) {
      const change = { current_password: password, password: word }
      expect(await browser.send('put', '//-/password', change)).toMatchObject(weak)
      expect(await server.anonymous.post('//-/password', { token: body.token, password: word })).toMatchObject(weak)
      expect(await server.admin.put(`/users/${user.user?.id}`, { password: word })).toMatchObject(weak)
    }
    const draft = { username: 'olga', name: 'Olga', email: 'olga@example.test', password: 'olga@example.test' }
    expect(await server.admin.post('/users', draft)).toMatchObject(weak)
  })
})

test.runIf(onSqlite)('responses to a session cookie are not stored; those to tokens have GitLab’s header', async () => {
  const { server, user } = await startAt()
  const { cookies } = await server.anonymous.post('//-/sessions', { login: 'nadia', password })
  const headers = { cookie: cookies[0]?.split(';')[0] ?? '', 'x-alcove-session': '1' }
  for (const path of ['/user', '//-/session', '/projects', '/projects/99999']) {
    const reply = await server.anonymous.get(path, { headers })
    expect([path, reply.headers['cache-control']]).toEqual([path, 'no-store'])
  }
  expect((await server.anonymous.post('/projects', { name: 'x' }, { headers })).headers['cache-control']).toBe(
    'no-store',
  )
  expect((await user.get('/projects')).headers['cache-control']).toBe('max-age=0, private, must-revalidate')
})

test.runIf(onSqlite)(
  'behind HTTPS the cookies are bound to the host, and responses carry Strict-Transport-Security',
  async () => {
    const server = await startServer({ settings: { externalUrl: 'https://alcove.example' } })
    await server.user('nadia')
    const { cookies, headers } = await server.anonymous.post('//-/sessions', { login: 'nadia', password })
    expect(cookies).toHaveLength(2)
    for (const [place, name] of ['__Host-alcove_session', '__Host-alcove_browser'].entries()) {
      expect(cookies[place]).toMatch(
        new RegExp(`^${name}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Lax; Max-Age=\\d+; Secure$`),
      )
    }
    expect(headers['strict-transport-security']).toBe('max-age=31536000; includeSubDomains')
    const cookie = cookies[0]?.split(';')[0] ?? ''
    const ask = (sent: string) =>
      server.anonymous.get('/user', { headers: { cookie: sent, 'x-alcove-session': '1' } }).then(({ status }) => status)
    expect(await ask(cookie)).toBe(200)
    // A page of a sibling domain can set a cookie with the plain name.
    expect(await ask(cookie.replace('__Host-', ''))).toBe(401)
    const plain = await startServer()
    expect((await plain.anonymous.get('//-/session')).headers).not.toHaveProperty('strict-transport-security')
  },
)
