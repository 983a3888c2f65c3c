import sql from 'sql-template-tag'
import { describe, expect, test } from 'vitest'
import type { Reply } from '../../../testing/client.ts'
import { startServer, type TestServer } from '../../../testing/server.ts'

const password = 'correct horse battery'
const behindProxy = { settings: { trustedProxies: ['127.0.0.1'] } }

interface Attempt {
  login?: string
  secret?: string
  address?: string
  cookie?: string
}

/** Signs in from an address, with a browser's cookie. */
function signIn(server: TestServer, { login = 'nadia', secret = password, address = '192.0.2.1', cookie }: Attempt) {
  const headers = { 'x-forwarded-for': address, ...(cookie && { cookie }) }
  return server.anonymous.post('//-/sessions', { login, password: secret }, { headers })
}

async function guessTenTimes(server: TestServer, attempt: Attempt): Promise<void> {
  for (let count = 0; count < 10; count++) {
    expect((await signIn(server, { ...attempt, secret: `wrong ${count}` })).status).toBe(401)
  }
  expect((await signIn(server, { ...attempt, secret: 'wrong again' })).status).toBe(429)
}

const browserCookie = ({ cookies }: Reply) =>
  cookies.find((cookie) => cookie.includes('alcove_browser='))?.split(';')[0]

describe('wrong passwords', () => {
  test('lock the user out at the address that sent them, and nowhere else', async () => {
    const server = await startServer(behindProxy)
    await server.user('nadia')
    await guessTenTimes(server, { address: '203.0.113.9' })
    expect(await signIn(server, { address: '203.0.113.9' })).toMatchObject({
      status: 429,
      headers: { 'retry-after': '300' },
    })
    expect((await signIn(server, { address: '192.0.2.1' })).status).toBe(201)
  })

  test('of one IPv6 network are counted together', async () => {
    const server = await startServer(behindProxy)
    await server.user('nadia')
    for (let count = 0; count < 10; count++) {
      expect((await signIn(server, { secret: 'wrong', address: `2001:db8:1:2::${count}` })).status).toBe(401)
    }
    expect((await signIn(server, { address: '2001:db8:1:2:ffff::1' })).status).toBe(429)
    expect((await signIn(server, { address: '2001:db8:1:3::1' })).status).toBe(201)
  })

  test('do not lock out a browser in which the user signed in before', async () => {
    const server = await startServer(behindProxy)
    await server.user('nadia')
    await server.user('omar')
    const cookie = browserCookie(await signIn(server, {})) ?? ''
    expect(cookie).toMatch(/^alcove_browser=[\w-]{43}$/)
    await guessTenTimes(server, {})
    expect((await signIn(server, {})).status).toBe(429)
    expect((await signIn(server, { cookie })).status).toBe(201)
    // The cookie applies to one user only, and its attempts are limited too.
    await guessTenTimes(server, { login: 'omar', address: '192.0.2.2', cookie })
    await guessTenTimes(server, { cookie })
  })

  test('are counted for an invalid browser cookie, and a sign-in keeps a valid one', async () => {
    const server = await startServer(behindProxy)
    await server.user('nadia')
    const cookie = browserCookie(await signIn(server, {})) ?? ''
    expect(browserCookie(await signIn(server, { cookie }))).toBe(cookie)
    await guessTenTimes(server, { cookie: `alcove_browser=${'x'.repeat(43)}` })
    expect((await signIn(server, { cookie: `alcove_browser=${'y'.repeat(43)}` })).status).toBe(429)
    expect(await server.deps.db.all(sql`select digest from known_browsers`)).toHaveLength(1)
  })

  test('get the same responses for known and unknown names, before and after the limit', async () => {
    const server = await startServer(behindProxy)
    await server.user('nadia')
    const answers = new Set<string>()
    for (const login of ['nadia', 'nadia@example.test', 'unknown', 'unknown@example.test']) {
      const statuses: string[] = []
      for (let count = 0; count < 11; count++) {
        const { status, text, headers } = await signIn(server, { login, secret: 'wrong' })
        statuses.push(`${status} ${text} ${headers['retry-after']}`)
      }
      answers.add(statuses.join('\n'))
    }
    expect([...answers]).toHaveLength(1)
  })

  test('for the username do not lock out the email, which would reveal that they belong together', async () => {
    const server = await startServer(behindProxy)
    await server.user('nadia')
    await guessTenTimes(server, { login: 'nadia' })
    expect((await signIn(server, { login: 'nadia@example.test', secret: 'wrong' })).status).toBe(401)
  })

  test('store one row per name and network, without the name', async () => {
    const server = await startServer(behindProxy)
    for (let count = 0; count < 5; count++) await signIn(server, { login: 'some-secret-typed-here', secret: 'x' })
    const rows = await server.deps.db.all(sql`select * from request_counts where name = 'password_guesses'`)
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain('some-secret-typed-here')
  })
})

describe('attempts from one address', () => {
  const limited = {
    settings: {
      trustedProxies: ['127.0.0.1'],
      rateLimits: { endpoints: false, signIn: { requests: 3, periodSeconds: 60 } },
    },
    clock: { now: '2026-05-01T10:15:30.000Z' },
  }
  const tooMany = { status: 429, headers: { 'retry-after': '30' } }

  test('are limited across all names', async () => {
    const server = await startServer(limited)
    await server.user('nadia')
    const cookie = browserCookie(await signIn(server, { address: '192.0.2.9' })) ?? ''
    for (const login of ['one', 'two', 'three']) {
      expect((await signIn(server, { login, secret: 'wrong' })).status).toBe(401)
    }
    expect(await signIn(server, {})).toMatchObject(tooMany)
    expect((await signIn(server, { address: '192.0.2.2' })).status).toBe(201)
    // A known browser does not share the limit of its address.
    expect((await signIn(server, { cookie })).status).toBe(201)
  })

  test.each([
    ['post', '//-/sessions', { login: 'nadia', password: 'wrong' }],
    ['post', '//-/password', { token: 'wrong', password: 'a long password' }],
    ['put', '//-/password', { current_password: 'wrong', password: 'a long password' }],
    ['post', '//-/sessions/admin_mode', { password: 'wrong' }],
    ['post', '//-/sessions/confirm', { password: 'wrong' }],
  ] as const)('are limited on %s %s', async (method, path, body) => {
    const server = await startServer(limited)
    for (let count = 0; count < 3; count++) expect((await server.anonymous[method](path, body)).status).not.toBe(429)
    expect(await server.anonymous[method](path, body)).toMatchObject(tooMany)
    expect((await server.anonymous.get('//-/session')).status).toBe(200)
  })
})

test('general rate limits also count requests outside the API, but not health checks', async () => {
  const unauthenticated = { requests: 3, periodSeconds: 3600 }
  const server = await startServer({ settings: { rateLimits: { endpoints: false, unauthenticated } } })
  for (let count = 0; count < 3; count++) expect((await server.anonymous.get('//-/session')).status).toBe(200)
  expect(await server.anonymous.get('//-/session')).toMatchObject({
    status: 429,
    headers: { 'ratelimit-name': 'throttle_unauthenticated_web' },
  })
  expect((await server.anonymous.post('//-/sessions', { login: 'x', password: 'x' })).status).toBe(429)
  for (const path of ['//-/health', '//-/ready', '//-/metrics']) {
    expect((await server.anonymous.get(path)).status).toBe(200)
  }
})

test('a flood of sign-ins is rejected at once and does not delay other requests', async () => {
  const server = await startServer(behindProxy)
  await server.user('nadia')
  const flood = Array.from({ length: 100 }, (_, count) => signIn(server, { login: `name-${count}`, secret: 'wrong' }))
  const other = signIn(server, { address: '198.51.100.4' })
  expect((await other).status).toBe(201)
  const replies = await Promise.all(flood)
  const refused = replies.filter(({ status }) => status === 429)
  expect(refused.length).toBeGreaterThan(50)
  expect(refused[0]?.headers['retry-after']).toBe('1')
  expect(replies.filter(({ status }) => status === 401)).toHaveLength(100 - refused.length)
})
