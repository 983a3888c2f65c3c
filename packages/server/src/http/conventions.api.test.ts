import { describe, expect, test } from 'vitest'
import { openMemoryStore } from '../platform/object-store/memory.ts'
import { routes } from '../routes.ts'
import { formWithFile, type Reply } from '../testing/client.ts'
import { startServer, type TestServer } from '../testing/server.ts'
import { addressOf } from './route.ts'

describe('an address', () => {
  test('that is unknown returns 404, and one of the old API returns 410', async () => {
    const { admin } = await startServer()
    expect(await admin.get('/nowhere')).toMatchObject({ status: 404, body: { error: '404 Not Found' } })
    expect(await admin.get('//nowhere')).toMatchObject({ status: 404, body: { error: '404 Not Found' } })
    for (const method of ['post', 'put', 'delete'] as const) {
      expect(await admin[method]('/nowhere')).toMatchObject({ status: 404, body: { error: '404 Not Found' } })
    }
    for (const method of ['get', 'post', 'put', 'delete'] as const) {
      expect(await admin[method]('//api/v3/projects')).toMatchObject({
        status: 410,
        body: { error: 'API V3 is no longer supported. Use API V4 instead.' },
      })
    }
  })

  test('with an unsupported method returns 405 with the allowed ones', async () => {
    const { admin } = await startServer()
    expect(await admin.delete('/topics')).toMatchObject({
      status: 405,
      body: { error: '405 Not Allowed' },
      headers: { allow: 'GET, HEAD, POST' },
    })
    expect(await admin.get('/markdown')).toMatchObject({ status: 405, headers: { allow: 'POST' } })
  })

  test('may end with a slash', async () => {
    const { anonymous } = await startServer()
    expect(await anonymous.get('/topics/')).toMatchObject({ status: 200, body: [] })
  })

  test('that is not percent-encoded UTF-8 returns 400', async () => {
    const { admin } = await startServer()
    expect((await admin.get('/projects/%E9')).status).toBe(400)
    expect((await admin.get('/topics?search=%E9')).status).toBe(400)
  })

  test('with a NUL returns 400 for every caller', async () => {
    const { admin, anonymous } = await startServer()
    for (const path of ['/projects/acme%2F%00', '/groups/%00', '/groups/a%00b/projects', '/users/%00/projects']) {
      expect(await admin.get(path)).toMatchObject({ status: 400, body: { error: 'id is invalid' } })
    }
    expect(await anonymous.get('/projects/acme%2F%00/uploads/1')).toMatchObject({ status: 400 })
    expect(await admin.get('/user?sudo=%00')).toMatchObject({ status: 400, body: { error: 'sudo is invalid' } })
  })

  test('identifies a project by its path, in any case, with plain or encoded dots', async () => {
    const server = await startServer()
    const { id } = await server.project('acme/web.site')
    for (const path of ['acme%2Fweb.site', 'acme%2Fweb%2Esite', 'Acme%2FWeb.Site']) {
      expect(await server.admin.get(`/projects/${path}`)).toMatchObject({ status: 200, body: { id } })
    }
  })
})

test.each(['a b', 'x:99999', '[::1', 'evil.example/path', 'a"b', 'user@host'])(
  'the invalid Host %j is rejected',
  async (host) => {
    const { anonymous } = await startServer()
    expect(await anonymous.get('/topics', { headers: { host } })).toMatchObject({
      status: 400,
      body: { message: '400 Bad request - the Host header names no host' },
    })
  },
)

test('passwords and tokens in the query of a sign-in are ignored', async () => {
  const server = await startServer()
  const query = `login=root&password=secret&token=${server.admin.token}`
  expect(await server.anonymous.post(`//-/sessions?${query}`)).toMatchObject({ status: 400 })
  expect(await server.anonymous.post('//-/password?token=x&password=y', {})).toMatchObject({
    status: 400,
    body: { error: 'token is missing, password is missing' },
  })
})

describe('a response', () => {
  test('is JSON without a charset, and has the request id if it is valid', async () => {
    const { anonymous } = await startServer()
    const answer = await anonymous.get('/topics', { headers: { 'x-request-id': 'ask-7.a' } })
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'SAMEORIGIN',
      'x-request-id': 'ask-7.a',
      'cache-control': 'max-age=0, private, must-revalidate',
      etag: expect.stringMatching(/^W\/"[0-9a-f]{32}"$/),
      vary: 'Origin',
    })
    expect(answer.headers['x-gitlab-meta']).toBe('{"correlation_id":"ask-7.a","version":"1"}')
    expect(answer.headers['x-runtime']).toMatch(/^\d+\.\d{6}$/)
    const other = await anonymous.get('/topics', { headers: { 'x-request-id': 'no id!' } })
    expect(other.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('of every status has the common headers', async () => {
    const server = await startServer()
    const nadia = await server.user('nadia')
    const answers = [
      await server.anonymous.get('/user'),
      await nadia.post('/topics', { name: 'a', title: 'A' }),
      await server.admin.get('/nowhere'),
      await server.admin.post('/topics', {}),
      await server.admin.delete('/topics'),
      await server.admin.get('//api/v3'),
      await server.admin.post('/topics', { name: 'a', title: 'A' }),
      await nadia.delete('/personal_access_tokens/self'),
    ]
    expect(answers.map(({ status }) => status)).toEqual([401, 403, 404, 400, 405, 410, 201, 204])
    for (const { status, headers } of answers) {
      expect(headers, `${status}`).toMatchObject({
        ...(status !== 204 && { 'content-type': 'application/json' }),
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'SAMEORIGIN',
        vary: 'Origin',
        'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
        'x-gitlab-meta': expect.stringMatching(/^\{"correlation_id":"[0-9a-f-]{36}","version":"1"\}$/),
        'x-runtime': expect.stringMatching(/^\d+\.\d{6}$/),
      })
      expect(headers).not.toHaveProperty('etag')
    }
  })

  test('loads no resources in a browser, cannot be framed, and sends no referrer', async () => {
    const { anonymous } = await startServer()
    for (const path of ['/topics', '/nowhere', '/user', '//-/health']) {
      expect((await anonymous.get(path)).headers, path).toMatchObject({
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
      })
    }
  })

  test('with credentials, account data or an error is not stored, nor any for a signed-in browser', async () => {
    const server = await startServer()
    const nadia = await server.user('nadia')
    const stored = ({ headers }: Reply) => headers['cache-control']
    for (const path of ['/user', '/users', '/personal_access_tokens', '/personal_access_tokens/self', '/nowhere']) {
      expect(stored(await nadia.get(path)), path).toBe('no-store')
    }
    expect(stored(await nadia.post('/projects', { name: 'site' }))).toBe('no-store')
    const signedIn = await server.anonymous.post('//-/sessions', { token: nadia.token })
    expect(stored(signedIn)).toBe('no-store')
    const cookie = signedIn.headers['set-cookie']?.toString().split(';')[0] ?? ''
    const browser = { headers: { cookie, 'x-alcove-session': '1' } }
    const listed = await server.anonymous.get('/projects', browser)
    expect([listed.body.length, stored(listed)]).toEqual([1, 'no-store'])
    expect(stored(await nadia.get('/projects'))).toBe('max-age=0, private, must-revalidate')
    // A request with the ETag is still confirmed.
    const again = { headers: { ...browser.headers, 'if-none-match': listed.headers['etag'] ?? '' } }
    expect(await server.anonymous.get('/projects', again)).toMatchObject({ status: 304, text: '' })
  })

  test('can be read from any origin, and preflights are accepted', async () => {
    const { anonymous, app } = await startServer()
    const { headers } = await anonymous.get('/topics', { headers: { origin: 'https://page.test' } })
    expect(headers['access-control-allow-origin']).toBe('*')
    expect(headers['access-control-expose-headers']).toBe(
      'Link, X-Total, X-Total-Pages, X-Per-Page, X-Page, X-Next-Page, X-Prev-Page, X-Gitlab-Blob-Id, ' +
        'X-Gitlab-Commit-Id, X-Gitlab-Content-Sha256, X-Gitlab-Encoding, X-Gitlab-File-Name, X-Gitlab-File-Path, ' +
        'X-Gitlab-Last-Commit-Id, X-Gitlab-Ref, X-Gitlab-Size, X-Request-Id, X-Alcove-Outcome, X-Alcove-Waiting-Findings, Idempotency-Replayed, Retry-After, ETag',
    )
    expect(headers['access-control-allow-credentials']).toBeUndefined()

    const preflight = await app.inject({
      method: 'OPTIONS',
      url: '/api/v4/topics/1',
      headers: { origin: 'https://page.test', 'access-control-request-headers': 'private-token' },
    })
    expect(preflight.statusCode).toBe(200)
    expect(preflight.headers['access-control-allow-methods']).toContain('PUT')
    expect(preflight.headers['access-control-allow-headers']).toBe('private-token')
  })

  test('after an internal error reveals no details', async () => {
    const objects = { ...openMemoryStore(), put: () => Promise.reject(new Error('the disk of 10.0.0.7 is full')) }
    const server = await startServer({ objects })
    const project = await server.project('acme/site')
    expect(
      await server.admin.post(`/projects/${project.id}/uploads`, formWithFile('file', 'a.txt', 'a')),
    ).toMatchObject({
      status: 500,
      body: { message: '500 Internal Server Error' },
    })
  })
})

const methods = { POST: 'post', PUT: 'put', PATCH: 'patch', DELETE: 'delete' } as const

describe('a request body', () => {
  test('of an unsupported type returns 415, with the type', async () => {
    const { admin } = await startServer()
    const headers = { 'content-type': 'application/xml' }
    expect(await admin.post('/projects', '<project/>', { headers })).toMatchObject({
      status: 415,
      body: { error: "The provided content-type 'application/xml' is not supported." },
    })
  })

  test.each(['application/xml', 'text/plain'])('of %s returns 415 on every route but uploads', async (type) => {
    const server = await startServer()
    await server.vulnerability(await server.project('acme/site'))
    const headers = { 'content-type': type }
    const others: string[] = []
    for (const route of routes) {
      // Events of trackers are authenticated by their bytes, whatever their type.
      if (route.method === 'GET' || route.rawBody) continue
      const address = `/${addressOf(route)}`.replaceAll(/[:*]\w+/g, '1')
      const { status, body } = await server.admin[methods[route.method]](address, '<xml/>', { headers })
      if (status !== 415) others.push(`${status} ${body.error} ${route.method} ${route.path}`)
      else expect(body).toEqual({ error: `The provided content-type '${type}' is not supported.` })
    }
    expect(others).toEqual([
      '400 file is missing POST /projects/:id/uploads',
      '400 file is missing POST /groups/:id/uploads',
    ])
  })

  test('of invalid JSON returns 400, and a blank one is empty', async () => {
    const { admin } = await startServer()
    const headers = { 'content-type': 'application/json; charset=utf-8' }
    expect(await admin.post('/topics', '{"name":', { headers })).toMatchObject({ status: 400 })
    expect(await admin.post('/topics', '', { headers })).toMatchObject({
      status: 400,
      body: { error: 'name is missing, title is missing' },
    })
  })

  test('of more than 4 MiB of JSON returns 413 as JSON', async () => {
    const { admin } = await startServer()
    const title = 'x'.repeat(4 * 1024 * 1024)
    expect(await admin.post('/topics', { name: 'long', title })).toMatchObject({
      status: 413,
      body: { message: '413 Request Entity Too Large' },
    })
  })
})

test('the version requires a token, for which read_user is sufficient', async () => {
  const server = await startServer()
  const nadia = await server.user('nadia')
  const reader = await server.client(nadia, { scopes: ['read_user'] })
  for (const path of ['/version', '/metadata']) {
    expect(await reader.get(path)).toMatchObject({
      status: 200,
      body: { version: '18.9.0-alcove', revision: expect.any(String), enterprise: false },
    })
    expect((await server.anonymous.get(path)).status).toBe(401)
  }
})

test('health and readiness are public', async () => {
  const { anonymous } = await startServer()
  expect(await anonymous.get('//-/health')).toMatchObject({ status: 200, body: { status: 'ok' } })
  expect(await anonymous.get('//-/ready')).toMatchObject({ status: 200, body: { status: 'ok' } })
})

describe('metrics', () => {
  const metricsToken = 'token-of-the-monitoring-system'
  const bearer = { authorization: `Bearer ${metricsToken}` }
  const read = (server: TestServer, remoteAddress: string, headers: Record<string, string> = {}) =>
    server.app.inject({ url: '/-/metrics', remoteAddress, headers })

  test('are visible to clients on this machine', async () => {
    const server = await startServer()
    await server.anonymous.get('//-/health')
    for (const address of ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1']) {
      const { statusCode, headers, payload } = await read(server, address)
      expect([address, statusCode]).toEqual([address, 200])
      expect(headers['content-type']).toMatch(/^text\/plain/)
      expect(payload).toContain(
        'alcove_http_request_duration_seconds_count{method="GET",route="/-/health",status="200"} 1',
      )
    }
  })

  test('are hidden from others and behind any proxy on this machine', async () => {
    const server = await startServer({ settings: { trustedProxies: ['127.0.0.1', '192.0.2.1'] } })
    expect((await read(server, '192.0.2.7')).statusCode).toBe(404)
    expect((await read(server, '192.0.2.7', bearer)).statusCode).toBe(404)
    expect((await read(server, '192.0.2.7', { 'private-token': server.admin.token ?? '' })).statusCode).toBe(404)
    expect((await read(server, '192.0.2.1', { 'x-forwarded-for': '127.0.0.1' })).statusCode).toBe(404)
    for (const name of ['forwarded', 'via', 'x-forwarded-for', 'x-real-ip']) {
      expect([name, (await read(server, '127.0.0.1', { [name]: '127.0.0.1' })).statusCode]).toEqual([name, 404])
    }
  })

  test('are visible elsewhere with the metrics token', async () => {
    const server = await startServer({ settings: { metricsToken } })
    expect((await read(server, '192.0.2.7', bearer)).statusCode).toBe(200)
    expect((await read(server, '192.0.2.7', { authorization: 'Bearer wrong' })).statusCode).toBe(401)
    expect((await read(server, '192.0.2.7')).statusCode).toBe(401)
    expect((await read(server, '192.0.2.7', { 'private-token': server.admin.token ?? '' })).statusCode).toBe(401)
    expect((await server.app.inject({ url: '/api/v4/user', headers: bearer })).statusCode).toBe(401)
  })
})

test('readiness does not wait for a hanging store', async () => {
  const objects = { ...openMemoryStore(), ready: () => new Promise<void>(() => {}) }
  const { anonymous } = await startServer({ objects })
  expect(await anonymous.get('//-/ready')).toMatchObject({
    status: 503,
    body: { message: '503 Service Unavailable', reasons: ['the object store does not answer'] },
  })
})

test('readiness is refused within two seconds when the database does not respond', async () => {
  const { deps, anonymous } = await startServer()
  deps.db.ready = () => new Promise<void>(() => {})
  const startedAt = performance.now()
  expect(await anonymous.get('//-/ready')).toMatchObject({
    status: 503,
    body: { message: '503 Service Unavailable', reasons: ['the database does not answer'] },
  })
  expect(performance.now() - startedAt).toBeLessThan(2500)
  expect((await anonymous.get('//-/health')).status).toBe(200)
})

test('a server whose store fails is healthy but not ready', async () => {
  const objects = { ...openMemoryStore(), ready: () => Promise.reject(new Error('no store')) }
  const { anonymous } = await startServer({ objects })
  expect((await anonymous.get('//-/health')).status).toBe(200)
  expect(await anonymous.get('//-/ready')).toMatchObject({
    status: 503,
    body: { message: '503 Service Unavailable', reasons: ['the object store does not answer'] },
  })
})
