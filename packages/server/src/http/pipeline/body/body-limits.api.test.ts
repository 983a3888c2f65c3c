import type { AddressInfo } from 'node:net'
import { beforeAll, describe, expect, test } from 'vitest'
import { routes } from '../../../routes.ts'
import { type Client, formWithFile } from '../../../testing/client.ts'
import { startServer, type TestServer } from '../../../testing/server.ts'
import { exchange, openWire } from '../../../testing/stand-ins/wire.ts'

const kibibyte = 1024
const mebibyte = 1024 * kibibyte
const tooLarge = (detail: string) => ({ status: 413, body: { message: '413 Request Entity Too Large', detail } })
const anonymousLimit = 'the text of this request may have up to 64 KiB unless its headers hold a token'

let server: TestServer
let member: Client
let port: number

beforeAll(async () => {
  server = await startServer({ settings: { rateLimits: { endpoints: false } } })
  member = await server.user('member')
  await server.app.listen({ port: 0, host: '127.0.0.1' })
  port = (server.app.server.address() as AddressInfo).port
})

describe('an anonymous request', () => {
  test('can have 64 KiB of text at most', async () => {
    const { anonymous } = server
    const right = { text: 'x'.repeat(4000), project: 'x'.repeat(50 * kibibyte) }
    expect((await anonymous.post('/markdown/preview', right)).status).not.toBe(413)
    const wrong = { text: 'x', project: 'x'.repeat(64 * kibibyte) }
    expect(await anonymous.post('/markdown/preview', wrong)).toMatchObject(tooLarge(anonymousLimit))
    const form = new URLSearchParams(wrong)
    expect(await anonymous.post('/markdown/preview', form)).toMatchObject(tooLarge(anonymousLimit))
    const parts = new FormData()
    for (const [name, value] of Object.entries(wrong)) parts.append(name, value)
    expect(await anonymous.post('/markdown/preview', parts)).toMatchObject({ status: 413 })
    expect(await server.admin.post('/markdown/preview', { text: 'x', padding: wrong.project })).toMatchObject({
      status: 200,
    })
  })

  test('gets 401 before a larger body is read, when the route requires a token', async () => {
    const { anonymous } = server
    const topic = { name: 'a', title: 'A', description: 'x'.repeat(100 * kibibyte) }
    expect(await anonymous.post('/topics', topic)).toMatchObject({ status: 401 })
    expect(
      await anonymous.post('/topics', formWithFile('avatar', 'a.png', Buffer.alloc(mebibyte), topic)),
    ).toMatchObject({ status: 401 })
  })

  test('is rejected while it is sent without a length', async () => {
    const wire = await openWire(port)
    wire.socket.write(
      'POST /api/v4/markdown/preview HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n' +
        'Transfer-Encoding: chunked\r\n\r\n',
    )
    for (let sent = 0; sent < 17; sent++) wire.socket.write(`1000\r\n${'x'.repeat(4096)}\r\n`)
    expect(await wire.until('unless its headers hold a token')).toContain('HTTP/1.1 413')
    wire.socket.destroy()
  })
})

describe('a urlencoded form', () => {
  /** Undeclared parameters are ignored. */
  const large = { text: 'x', padding: 'x'.repeat(mebibyte / 2) }

  test('of up to 64 KiB can contain the token', async () => {
    const form = new URLSearchParams({ text: 'x', private_token: member.token ?? '' })
    expect(await server.anonymous.post('/markdown', form)).toMatchObject({ status: 201 })
  })

  test('that is larger requires the token in a header', async () => {
    const form = new URLSearchParams({ ...large, private_token: member.token ?? '' })
    expect(await server.anonymous.post('/markdown', form)).toMatchObject(tooLarge(anonymousLimit))
    expect(await member.post('/markdown', new URLSearchParams(large))).toMatchObject({ status: 201 })
    const headers = { authorization: `Bearer ${member.token}` }
    expect(await server.anonymous.post('/markdown', form, { headers })).toMatchObject({ status: 201 })
  })

  test('that is larger can contain the user for sudo, and its token precedes the header', async () => {
    const acting = new URLSearchParams({ ...large, sudo: 'member', name: 'by sudo', 'scopes[]': 'k8s_proxy' })
    const { body } = await server.admin.post('/user/personal_access_tokens', acting)
    expect(body.user_id).toBe(member.user?.id)
    const other = new URLSearchParams({
      ...large,
      private_token: member.token ?? '',
      name: 'x',
      'scopes[]': 'k8s_proxy',
    })
    const issued = await server.admin.post('/user/personal_access_tokens', other)
    expect(issued.body.user_id).toBe(member.user?.id)
    const wrong = new URLSearchParams({ ...large, private_token: 'wrong' })
    expect(await member.post('/markdown', wrong)).toMatchObject({ status: 401 })
  })

  test('that is larger is read only after its rate limit is checked', async () => {
    const rateLimits = { endpoints: false, authenticated: { requests: 5, periodSeconds: 3600 } }
    const limited = await startServer({ settings: { rateLimits } })
    const nadia = await limited.user('nadia')
    await limited.app.listen({ port: 0, host: '127.0.0.1' })
    for (let count = 0; count < 5; count++) expect((await nadia.get('/user')).status).toBe(200)
    const head =
      `POST /api/v4/markdown HTTP/1.1\r\nHost: x\r\nPRIVATE-TOKEN: ${nadia.token}\r\nExpect: 100-continue\r\n` +
      'Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000000\r\n\r\n'
    const answer = await exchange((limited.app.server.address() as AddressInfo).port, head)
    expect(answer).toMatch(/^HTTP\/1\.1 429 /)
  })
})

test('session and password routes accept 64 KiB from every caller', async () => {
  const small = routes.filter(({ outside, method }) => outside && method !== 'GET' && method !== 'DELETE')
  expect(small.map(({ path }) => path)).toEqual(expect.arrayContaining(['/-/sessions', '/-/password']))
  for (const { method, path } of small) {
    const send = method === 'PUT' ? server.admin.put : server.admin.post
    const body = { password: 'x'.repeat(64 * kibibyte) }
    expect(await send(`/${path}`, body), path).toMatchObject(tooLarge('the text of this request may have up to 64 KiB'))
  }
})

test('a body in chunks of one byte uses no more memory than its bytes', async () => {
  const wire = await openWire(port)
  wire.socket.write(
    `POST /api/v4/markdown HTTP/1.1\r\nHost: x\r\nPRIVATE-TOKEN: ${member.token}\r\n` +
      'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
  )
  const before = process.memoryUsage().rss
  let most = 0
  const chunks = '1\r\nx\r\n'.repeat(100_000)
  for (let sent = 0; sent < 6 && !wire.socket.destroyed; sent++) {
    if (!wire.socket.write(chunks)) {
      await Promise.race([new Promise((resolve) => wire.socket.once('drain', resolve)), wire.closed])
    }
    most = Math.max(most, process.memoryUsage().rss - before)
  }
  expect(await wire.until('too many small chunks')).toContain('HTTP/1.1 400')
  expect(most).toBeLessThan(100 * mebibyte)
  wire.socket.destroy()
})
