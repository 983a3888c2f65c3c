import { describe, expect, test } from 'vitest'
import { type Limit, openRequestCounter, slackOf } from '../../domain/access/request-counter.ts'
import type { RootDeps } from '../../domain/deps.ts'
import { freshDatabase, onSqlite, testEngine } from '../../testing/databases/database.ts'
import { startServer } from '../../testing/server.ts'

const clock = { now: '2026-05-01T10:15:00.000Z' }
const hour = { requests: 3, periodSeconds: 3600 }

function limited(rateLimits: object, more: object = {}) {
  return startServer({ clock: { ...clock }, settings: { rateLimits: { endpoints: false, ...rateLimits }, ...more } })
}

const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })

describe('a rate limit', () => {
  test.runIf(onSqlite)('is absent unless it is configured', async () => {
    const { admin, anonymous } = await startServer()
    for (const client of [admin, anonymous]) {
      const { headers } = await client.get('/topics')
      expect(Object.keys(headers).filter((name) => name.startsWith('ratelimit'))).toEqual([])
    }
  })

  test.runIf(onSqlite)('for users counts each user separately, and reports its state in headers', async () => {
    const server = await limited({ authenticated: hour })
    const nadia = await server.user('nadia')
    const standings = []
    for (let count = 0; count < 3; count++) standings.push((await nadia.get('/user')).headers)
    expect(standings[0]).toMatchObject({
      'ratelimit-limit': '1', // for a minute, rounded up
      'ratelimit-name': 'throttle_authenticated_api',
      'ratelimit-observed': '1',
      'ratelimit-remaining': '2',
      'ratelimit-reset': String(Date.parse('2026-05-01T11:00:00Z') / 1000),
    })
    expect(standings[0]).not.toHaveProperty('retry-after')
    expect(standings[2]).toMatchObject({ 'ratelimit-observed': '3', 'ratelimit-remaining': '0' })

    const refused = await nadia.get('/user')
    expect(refused).toMatchObject({ status: 429, text: 'Retry later\n' })
    expect(refused.headers).toMatchObject({
      'content-type': 'text/plain',
      'retry-after': '2700',
      'ratelimit-limit': '1',
      'ratelimit-name': 'throttle_authenticated_api',
      'ratelimit-observed': '4',
      'ratelimit-remaining': '0',
      'ratelimit-reset': String(Date.parse('2026-05-01T11:00:00Z') / 1000),
      'ratelimit-resettime': 'Fri, 01 May 2026 11:00:00 GMT',
    })
    expect(refused.headers).not.toHaveProperty('etag')
    const head = await nadia.head('/user')
    expect(head).toMatchObject({ status: 429, text: '' })
    expect((await server.anonymous.get('/topics')).status).toBe(200)
  })

  test.runIf(onSqlite)('counts a user with any token, even with an insufficient scope', async () => {
    const server = await limited({ authenticated: { ...hour, requests: 10 } })
    const nadia = await server.user('nadia')
    const reader = await server.client(nadia, { scopes: ['read_user'] })
    for (let count = 0; count < 5; count++) {
      expect((await nadia.get('/user')).status).toBe(200)
      expect((await reader.get('/topics')).status).toBe(403)
    }
    expect((await nadia.get('/user')).status).toBe(429)
    expect((await reader.get('/topics')).status).toBe(429)
  })

  test.runIf(onSqlite)('is reset in the next period', async () => {
    const server = await limited({ unauthenticated: hour })
    for (let count = 0; count < 3; count++) expect((await server.anonymous.get('/topics')).status).toBe(200)
    expect((await server.anonymous.get('/topics')).status).toBe(429)
    const later = await startServer({
      clock: { now: '2026-05-01T11:00:00.000Z' },
      settings: { rateLimits: { endpoints: false, unauthenticated: hour } },
    })
    expect((await later.anonymous.get('/topics')).status).toBe(200)
  })

  test.runIf(onSqlite)('for anonymous requests counts addresses and invalid tokens, but no health checks', async () => {
    const server = await limited({ unauthenticated: hour }, { trustedProxies: ['127.0.0.1'] })
    const wrong = { headers: { 'x-forwarded-for': '192.0.2.7', 'private-token': 'wrong' } }
    expect((await server.anonymous.get('/topics', from('192.0.2.7'))).status).toBe(200)
    expect((await server.anonymous.get('/topics', wrong)).status).toBe(401)
    expect((await server.anonymous.get('/user', from('192.0.2.7'))).status).toBe(401)
    expect((await server.anonymous.get('/topics', wrong)).status).toBe(429)
    expect((await server.anonymous.get('/topics', from('192.0.2.8'))).status).toBe(200)
    expect((await server.admin.get('/topics', from('192.0.2.7'))).status).toBe(200)
    for (let count = 0; count < 5; count++) {
      expect((await server.anonymous.get('//-/health', from('192.0.2.7'))).status).toBe(200)
    }
  })

  test.runIf(onSqlite)('ignores X-Forwarded-For unless a trusted proxy sends it', async () => {
    const server = await limited({ unauthenticated: hour })
    const statuses = []
    for (let count = 0; count < 4; count++) {
      statuses.push((await server.anonymous.get('/topics', from(`192.0.2.${count}`))).status)
    }
    expect(statuses).toEqual([200, 200, 200, 429])
  })

  test('behind trusted proxies counts the last untrusted address', async () => {
    const server = await limited({ unauthenticated: hour }, { trustedProxies: ['127.0.0.1', '10.0.0.0/8'] })
    const statuses = []
    for (let count = 0; count < 4; count++) {
      const chain = `203.0.113.${count}, 192.0.2.7, 10.1.2.${count}`
      statuses.push((await server.anonymous.get('/topics', from(chain))).status)
    }
    expect(statuses).toEqual([200, 200, 200, 429])
    expect((await server.anonymous.get('/topics', from('192.0.2.8, 10.1.2.3'))).status).toBe(200)
  })

  test('admits exactly the limit of concurrent requests', async () => {
    const server = await limited({ unauthenticated: { requests: 250, periodSeconds: 3600 } })
    const answers = await Promise.all(Array.from({ length: 300 }, () => server.anonymous.get('/topics')))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(250)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(50)
  })
})

describe.runIf(onSqlite)('GitLab’s limits for single endpoints', () => {
  const tooMany = {
    status: 429,
    body: { message: { error: 'This endpoint has been requested too many times. Try again later.' } },
  }

  test('apply when they are enabled, without headers', async () => {
    const server = await limited({ endpoints: true })
    const nadia = await server.user('nadia')
    const ask = () => nadia.get(`/namespaces/nadia/exists`)
    for (let count = 0; count < 20; count++) expect((await ask()).status).toBe(200)
    const refused = await ask()
    expect(refused).toMatchObject(tooMany)
    expect(Object.keys(refused.headers).filter((name) => name.startsWith('ratelimit'))).toEqual([])
    expect((await server.admin.get(`/namespaces/nadia/exists`)).status).toBe(200)
    expect((await nadia.get('/user')).status).toBe(200)
  })

  test('do not apply to administrators on profiles', async () => {
    const server = await limited({ endpoints: true })
    const nadia = await server.user('nadia')
    const ask = (client: typeof nadia) => client.get(`/users/${nadia.user?.id}`)
    for (let count = 0; count < 300; count++) expect((await ask(nadia)).status).toBe(200)
    expect(await ask(nadia)).toMatchObject(tooMany)
    for (let count = 0; count < 301; count++) expect((await ask(server.admin)).status).toBe(200)
  })
})

const limit: Limit = { name: 'test', requests: 1000, periodSeconds: 3600 }

describe.runIf(testEngine === 'postgres')('processes with a shared database', () => {
  test('share a limit, with some slack for each', async () => {
    const server = await startServer({ clock: { ...clock } })
    const counters = Array.from({ length: 4 }, () => openRequestCounter(server.deps))
    const ask = async (counter: (typeof counters)[number]) => {
      let admitted = 0
      for (let count = 0; count < 500; count++) if (!(await counter.count(limit, 'user 1')).isExceeded) admitted++
      return admitted
    }
    const admitted = (await Promise.all(counters.map(ask))).reduce((sum, one) => sum + one, 0)
    expect(admitted).toBeGreaterThanOrEqual(limit.requests)
    expect(admitted).toBeLessThanOrEqual(limit.requests + counters.length * slackOf(limit))
    for (const counter of counters) await counter.close()
  })

  test('synchronize within a second, with only a few writes', async () => {
    const server = await startServer({ clock: { ...clock } })
    let writes = 0
    const all: RootDeps['db']['all'] = (query) => {
      writes++
      return server.deps.db.all(query)
    }
    const counted = { ...server.deps, db: { ...server.deps.db, all } }
    const [one, other] = [openRequestCounter(counted), openRequestCounter(server.deps)]
    for (let user = 0; user < 300; user++) await one.count(limit, `user ${user}`)
    await expect.poll(async () => (await other.count(limit, 'user 7')).observed).toBeGreaterThan(2)
    expect(writes).toBeLessThan(10)
    await one.close()
    await other.close()
  })

  test('share a limit in a period that begins before the last requests of the previous one are reported', async () => {
    const server = await startServer({ clock: { ...clock } })
    let now = '2026-05-01T10:59:59.999Z'
    const counters = Array.from({ length: 2 }, () => openRequestCounter({ ...server.deps, now: () => now }))
    for (const counter of counters) await counter.count(limit, 'user 1')
    now = '2026-05-01T11:00:00.000Z'
    let admitted = 0
    for (let count = 0; count < 700; count++) {
      for (const counter of counters) if (!(await counter.count(limit, 'user 1')).isExceeded) admitted++
    }
    expect(admitted).toBeGreaterThanOrEqual(limit.requests)
    expect(admitted).toBeLessThanOrEqual(limit.requests + counters.length * slackOf(limit))
    for (const counter of counters) await counter.close()
  })

  test('count alone while the database fails', async () => {
    const { db, drop } = await freshDatabase()
    const server = await startServer({ clock: { ...clock } })
    const all = () => Promise.reject(new Error('away'))
    const counter = openRequestCounter({ ...server.deps, db: { ...db, all } })
    const answers = []
    for (let count = 0; count < 1100; count++) answers.push(await counter.count(limit, 'user 1'))
    expect(answers.filter(({ isExceeded }) => !isExceeded)).toHaveLength(1000)
    await counter.close()
    await db.close()
    await drop()
  })

  test('count password guesses together', async () => {
    const fresh = await startServer()
    const guess = (password: string) => fresh.anonymous.post('//-/sessions', { login: 'root', password })
    for (let count = 0; count < 10; count++) expect((await guess(`wrong ${count}`)).status).toBe(401)
    // Another process shares only the database.
    const { openApp } = await import('../../app.ts')
    const other = await openApp(fresh.deps)
    const reply = await other.server.inject({
      method: 'POST',
      url: '/-/sessions',
      payload: new URLSearchParams({ login: 'root', password: 'wrong again' }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect(reply.statusCode).toBe(429)
    await other.server.close()
  })
})
