import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openDiskStore } from '../platform/object-store/disk.ts'
import type { ObjectStore } from '../platform/object-store/objects.ts'
import { type Client, formWithFile } from '../testing/client.ts'
import { startServer, type TestProject, type TestServer } from '../testing/server.ts'
import { exchange, openWire } from '../testing/stand-ins/wire.ts'

const mebibyte = 1024 * 1024
let folder: string
let server: TestServer
let project: TestProject
let member: Client
let port: number
let credentials: string
/** Number of bytes read from the object that was opened last. */
let bytesRead = 0

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'alcove-socket-'))
  const store = await openDiskStore(folder)
  const openPieces: ObjectStore['openPieces'] = async (key, range) => {
    const pieces = await store.openPieces?.(key, range)
    bytesRead = 0
    const next = async (maxBytes: number) => {
      const piece = await pieces?.next(maxBytes)
      bytesRead += piece?.length ?? 0
      return piece
    }
    return pieces && { ...pieces, next }
  }
  server = await startServer({ settings: { maxUploadBytes: 32 * mebibyte }, objects: { ...store, openPieces } })
  await server.app.listen({ port: 0, host: '127.0.0.1' })
  port = (server.app.server.address() as AddressInfo).port
  project = await server.project('acme/site')
  member = await server.as('maintainer', project)
  credentials = `Host: alcove.test\r\nPRIVATE-TOKEN: ${member.token}\r\n`
})
afterAll(() => rm(folder, { recursive: true, force: true }))
afterEach(async () => {
  const health = await exchange(port, 'GET /-/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  expect(health).toContain('{"status":"ok"}')
})

const target = () => `/api/v4/projects/${project.id}/uploads`
const fileHead = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n'
const formHeaders = 'Content-Type: multipart/form-data; boundary=b\r\n'
const uploadHead = (framing: string) => `POST ${target()} HTTP/1.1\r\n${credentials}${formHeaders}${framing}\r\n\r\n`
const chunk = (data: string) => `${Buffer.byteLength(data).toString(16)}\r\n${data}\r\n`

/** Returns the numbers of rows and files, including partially written ones. */
async function stored() {
  const uploads = await member.get(`/projects/${project.id}/uploads?per_page=1`)
  const names = await readdir(folder, { recursive: true, withFileTypes: true })
  return { rows: uploads.headers['x-total'], files: names.filter((entry) => entry.isFile()).length }
}

describe('an interrupted upload', () => {
  test.each([
    ['of announced length', 'Content-Length: 2000000', (data: string) => fileHead + data],
    ['in chunks', 'Transfer-Encoding: chunked', (data: string) => chunk(fileHead) + chunk(data)],
  ])('%s leaves neither row nor file', async (_, framing, encoded) => {
    const before = await stored()
    const { socket } = await openWire(port)
    // The store writes nothing before it has half a megabyte.
    socket.write(uploadHead(framing) + encoded('x'.repeat(1_200_000)))
    await expect.poll(stored).toMatchObject({ files: before.files + 1 })
    socket.destroy()
    await expect.poll(stored).toEqual(before)
  })

  test.each([
    ['before the announced length', 'Content-Length: 500000', (data: string) => data],
    ['before the last chunk', 'Transfer-Encoding: chunked', chunk],
  ])('after the whole form but %s leaves neither row nor file', async (_, framing, encoded) => {
    const before = await stored()
    const { socket } = await openWire(port)
    socket.write(uploadHead(framing) + encoded(`${fileHead}whole\r\n--b--\r\n`))
    await expect.poll(stored).toMatchObject({ files: before.files + 1 })
    await sleep(100)
    expect(await stored()).toEqual({ ...before, files: before.files + 1 })
    socket.destroy()
    await expect.poll(stored).toEqual(before)
  })

  test('is ended after a period of silence, but not when it is slow', async () => {
    const { app } = server
    const usual = app.server.timeout
    app.server.setTimeout(400)
    try {
      const before = await stored()
      const [silent, slow] = [await openWire(port), await openWire(port)]
      silent.socket.write(uploadHead('Content-Length: 500000') + fileHead)
      const body = `${fileHead}slow\r\n--b--\r\n`
      slow.socket.write(uploadHead(`Connection: close\r\nContent-Length: ${body.length}`))
      const started = performance.now()
      for (const piece of body.match(/.{1,10}/gs) ?? []) {
        slow.socket.write(piece)
        await sleep(100)
      }
      expect(performance.now() - started).toBeGreaterThan(800)
      expect(await slow.closed).toContain('HTTP/1.1 201 Created')
      await silent.closed
      await expect.poll(stored).toEqual({ rows: String(Number(before.rows) + 1), files: before.files + 1 })
    } finally {
      app.server.setTimeout(usual)
    }
  })
})

describe('a request that is too large', () => {
  test('gets 413 before it is sent when its length is announced', async () => {
    const wire = await openWire(port)
    wire.socket.write(uploadHead('Content-Length: 2000000000'))
    expect(await wire.until('413 Request Entity Too Large"')).toContain('HTTP/1.1 413')
    wire.socket.destroy()
  })

  test.each([
    ['announced', 'Content-Length: 2000000000', (data: string) => data],
    ['not announced', 'Transfer-Encoding: chunked', chunk],
  ])('gets 413 when its length is %s, and its connection is closed', async (_, framing, encoded) => {
    const before = await stored()
    const wire = await openWire(port)
    wire.socket.write(uploadHead(framing) + encoded(fileHead))
    const piece = encoded('x'.repeat(mebibyte))
    let sent = 0
    while (!wire.socket.destroyed && sent < 1000) {
      sent += 1
      if (!wire.socket.write(piece))
        await Promise.race([new Promise((resolve) => wire.socket.once('drain', resolve)), wire.closed])
    }
    expect(await wire.closed).toContain('HTTP/1.1 413')
    expect(sent).toBeLessThan(200)
    await expect.poll(stored).toEqual(before)
  })

  test('gets 413 while its JSON arrives', async () => {
    const wire = await openWire(port)
    const head = `POST /api/v4/topics HTTP/1.1\r\n${credentials}Content-Type: application/json\r\n`
    wire.socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`)
    for (let sent = 0; sent < 5; sent++) wire.socket.write(chunk('x'.repeat(mebibyte)))
    expect(await wire.until('Too Large"')).toContain('HTTP/1.1 413')
    wire.socket.destroy()
  })

  test('gets 431 for its headers', async () => {
    const answer = await exchange(port, `GET /-/health HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`)
    expect(answer).toContain('HTTP/1.1 431 Request Header Fields Too Large\r\nContent-Type: application/json\r\n')
    expect(answer).toMatch(/\r\n\r\n\{"message":"431 Request Header Fields Too Large"\}$/)
  })

  test('gets 431 without a body for HEAD', async () => {
    const answer = await exchange(port, `HEAD /-/health HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`)
    expect(answer).toMatch(/^HTTP\/1\.1 431 .*\r\n\r\n$/s)
  })
})

describe('a client with Expect: 100-continue', () => {
  test('receives 100', async () => {
    const body = `${fileHead}waited\r\n--b--\r\n`
    const wire = await openWire(port)
    wire.socket.write(uploadHead(`Connection: close\r\nExpect: 100-continue\r\nContent-Length: ${body.length}`))
    await wire.until('HTTP/1.1 100 Continue')
    wire.socket.write(body)
    expect(await wire.closed).toContain('HTTP/1.1 201 Created')
  })

  test.each([
    ['a wrong token', () => `Host: x\r\nPRIVATE-TOKEN: wrong\r\n`, 100_000, '401 Unauthorized'],
    ['an anonymous request', () => 'Host: x\r\n', 100_000, '401 Unauthorized'],
    ['a body that is too large', () => credentials, 2_000_000_000, '413 Payload Too Large'],
  ])('never receives 100 when it is rejected: %s', async (_, headers, length, status) => {
    const head = `POST ${target()} HTTP/1.1\r\n${headers()}${formHeaders}Expect: 100-continue\r\n`
    const answer = await exchange(port, `${head}Content-Length: ${length}\r\n\r\n`)
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status}\r\n`))
    // The server cannot know whether the rest of the body would be parsed as the next request.
    expect(answer).toContain('\r\nConnection: close\r\n')
  })

  test('receives 100 for every kind of body', async () => {
    const bodies = { 'application/json': '{"text":"hi"}', 'application/x-www-form-urlencoded': 'text=hi' }
    for (const [type, body] of Object.entries(bodies)) {
      const wire = await openWire(port)
      const head = `POST /api/v4/markdown HTTP/1.1\r\n${credentials}Connection: close\r\nExpect: 100-continue\r\n`
      wire.socket.write(`${head}Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n`)
      await wire.until('HTTP/1.1 100 Continue')
      wire.socket.write(body)
      expect(await wire.closed).toContain('HTTP/1.1 201 Created')
    }
  })
})

describe('several requests on one connection', () => {
  test('are answered in order, however long each takes', async () => {
    const body = `${fileHead}${'x'.repeat(100_000)}\r\n--b--\r\n`
    const get = (path: string) => `GET /api/v4${path} HTTP/1.1\r\n${credentials}\r\n`
    const refused = `POST ${target()} HTTP/1.1\r\nHost: x\r\n${formHeaders}Content-Length: ${body.length}\r\n\r\n${body}`
    const sent =
      uploadHead(`Content-Length: ${body.length}`) + body + get('/user') + refused + get('/nowhere') + get('/user')
    const answer = await exchange(port, sent, 'GET /-/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    expect([...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual([
      '201',
      '200',
      '401',
      '404',
      '200',
      '200',
    ])
  })
})

describe('pipelined requests', () => {
  const health = 'GET /-/health HTTP/1.1\r\nHost: x\r\n\r\n'
  const answersIn = (text: string) => text.split('HTTP/1.1 200').length - 1

  test('are executed one after the other', async () => {
    let running = 0
    let most = 0
    const { all } = server.deps.db
    server.deps.db.all = async (query) => {
      const isCounted = 'text' in query && query.text.includes('from topics')
      if (!isCounted) return all(query)
      most = Math.max(most, ++running)
      try {
        await sleep(1)
        return await all(query)
      } finally {
        running -= 1
      }
    }
    try {
      const search = (word: number) => `GET /api/v4/topics?search=word-${word} HTTP/1.1\r\n${credentials}\r\n`
      const many = Array.from({ length: 20 }, (_, word) => search(word)).join('')
      const last = `GET /-/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`
      expect(answersIn(await exchange(port, many + last))).toBe(21)
      expect(most).toBe(1)
    } finally {
      server.deps.db.all = all
    }
  })

  test('of one connection do not delay those of another', async () => {
    const [greedy, modest] = [await openWire(port), await openWire(port)]
    greedy.socket.write(health.repeat(90))
    modest.socket.write(health)
    await modest.until('{"status":"ok"}')
    expect(answersIn(greedy.received)).toBeLessThan(90)
    await expect.poll(() => answersIn(greedy.received)).toBe(90)
    // The connection can be reused.
    greedy.socket.write(health)
    await expect.poll(() => answersIn(greedy.received)).toBe(91)
    greedy.socket.destroy()
    modest.socket.destroy()
  })

  test('beyond 100 close the connection after a last response, and are never executed', async () => {
    const answer = await exchange(port, health.repeat(1000))
    expect(answersIn(answer)).toBe(101)
    expect(answer.match(/connection: close/gi)).toHaveLength(1)
    expect(answer.lastIndexOf('HTTP/1.1')).toBeLessThan(answer.search(/connection: close/i))
  })

  test('with bodies that arrive later are read to the end', async () => {
    const wire = await openWire(port)
    const form = (padding: string) =>
      `POST /api/v4/markdown HTTP/1.1\r\n${credentials}Content-Type: application/x-www-form-urlencoded\r\n` +
      `Content-Length: ${padding.length + 17}\r\n\r\ntext=one&padding=${padding}`
    const [first, last] = [form(''), form('x'.repeat(50_000))]
    wire.socket.write(first + first + last.slice(0, 1000))
    const answers = () => wire.received.split('HTTP/1.1 201').length - 1
    await expect.poll(answers).toBe(2)
    wire.socket.write(last.slice(1000))
    await expect.poll(answers).toBe(3)
    wire.socket.destroy()
  })
})

test('requests of several connections that arrive together are executed together', async () => {
  const wires = await Promise.all(Array.from({ length: 5 }, () => openWire(port)))
  const send = (request: (index: number) => string) => {
    for (const [index, { socket }] of wires.entries())
      socket.write(`GET ${request(index)} HTTP/1.1\r\n${credentials}\r\n`)
  }
  const answered = (times: number) =>
    expect.poll(() => wires.every(({ received }) => received.split('HTTP/1.1 200').length - 1 === times)).toBe(true)
  send(() => '/-/health')
  await answered(1)
  let running = 0
  let most = 0
  const { all } = server.deps.db
  server.deps.db.all = async (query) => {
    most = Math.max(most, ++running)
    // Waits in microtasks only: during a turn of the event loop, the next request could arrive.
    for (let times = 0; times < 20; times++) await undefined
    running -= 1
    return all(query)
  }
  try {
    send((index) => `/api/v4/topics?search=together-${index}`)
    await answered(2)
    expect(most).toBeGreaterThan(1)
  } finally {
    server.deps.db.all = all
    for (const { socket } of wires) socket.destroy()
  }
})

test('incomplete headers return 408', async () => {
  const { app } = server
  const usual = app.server.headersTimeout
  expect(usual).toBe(30_000)
  app.server.headersTimeout = 100
  try {
    const wire = await openWire(port)
    wire.socket.write('GET /-/health HTTP/1.1\r\nHost: x\r\nX-Slow: ')
    expect(await wire.closed).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/)
  } finally {
    app.server.headersTimeout = usual
  }
})

describe('a download', () => {
  const content = Buffer.alloc(24 * mebibyte, 'slow reader ')
  let path: string
  beforeAll(async () => {
    const form = formWithFile('file', 'large.bin', content)
    path = `${target()}/${(await member.post(`/projects/${project.id}/uploads`, form)).body.id}`
  })

  test('reaches a slow reader completely, without being buffered', async () => {
    const wire = await openWire(port)
    wire.socket.pause()
    wire.socket.write(`GET ${path} HTTP/1.1\r\n${credentials}Connection: close\r\n\r\n`)
    await sleep(300)
    expect(bytesRead).toBeLessThan(content.length)
    wire.socket.resume()
    const [, body = ''] = (await wire.closed).split('\r\n\r\n', 2)
    const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
    expect(digest(Buffer.from(body, 'latin1'))).toBe(digest(content))
  })

  test.runIf(process.platform === 'linux').each(['is aborted', 'is not read'])(
    'closes its file when it %s',
    async (what) => {
      const { app } = server
      const usual = app.server.timeout
      app.server.setTimeout(400)
      try {
        const wire = await openWire(port)
        wire.socket.pause()
        wire.socket.write(`GET ${path} HTTP/1.1\r\n${credentials}\r\n`)
        await expect.poll(openFiles).toBe(1)
        if (what === 'is aborted') wire.socket.destroy()
        await expect.poll(openFiles, { timeout: 5000 }).toBe(0)
        wire.socket.destroy()
      } finally {
        app.server.setTimeout(usual)
      }
    },
  )

  async function openFiles(): Promise<number> {
    const descriptors = await readdir('/proc/self/fd')
    const names = await Promise.all(descriptors.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')))
    return names.filter((name) => name.startsWith(folder)).length
  }
})

describe('unusual HTTP', () => {
  test('of version 1.0 without a Host is answered, with links to the local address', async () => {
    const answer = await exchange(port, 'GET /api/v4/topics HTTP/1.0\r\n\r\n')
    expect(answer).toContain('HTTP/1.1 200 OK')
    expect(answer).toContain(`<http://127.0.0.1:${port}/api/v4/topics?`)
  })

  test('with an absolute address, as sent by proxies, is answered', async () => {
    const head = `GET http://alcove.test/api/v4/topics HTTP/1.1\r\n${credentials}Connection: close\r\n\r\n`
    const answer = await exchange(port, head)
    expect(answer).toContain('HTTP/1.1 200 OK')
    expect(answer).toContain('<http://alcove.test/api/v4/topics?')
  })

  test.each([
    ['no request line', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n'],
    ['an unknown version', 'GET / HTTP/9.9\r\n\r\n'],
    ['HTTP/2 without negotiation', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['an unknown method', 'FROB / HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a space in a header name', 'GET / HTTP/1.1\r\nHost: x\r\nA b: c\r\n\r\n'],
    ['a NUL in a header', 'GET / HTTP/1.1\r\nHost: x\r\nA: b\0c\r\n\r\n'],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx'],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a negative length', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n'],
    ['no Host', 'GET /-/health HTTP/1.1\r\n\r\n'],
  ])('with %s returns 400 and closes the connection', async (_, sent) => {
    expect(await exchange(port, Buffer.from(sent, 'latin1'))).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
  })

  test('with two Host headers returns 400', async () => {
    const answer = await exchange(port, 'GET /-/health HTTP/1.1\r\nHost: x\r\nhost: x\r\nConnection: close\r\n\r\n')
    expect(answer).toContain('HTTP/1.1 400 Bad Request')
    expect(answer).toContain('more than one Host header')
  })

  test('with invalid chunks returns 400 and stores nothing', async () => {
    const before = await stored()
    const answer = await exchange(port, uploadHead('Transfer-Encoding: chunked'), chunk(fileHead), 'zz\r\ngarbage\r\n')
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    await expect.poll(stored).toEqual(before)
  })

  test.each([
    ['CONNECT', 'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['an upgrade', 'GET /-/health HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n'],
    ['OPTIONS *', 'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
    ['TRACE', 'TRACE /-/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
    ['an unknown expectation', 'GET /-/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: cake\r\n\r\n'],
    ['an empty line first', '\r\n\r\nGET /-/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'],
  ])('with %s causes no 5xx', async (_, sent) => {
    expect(await exchange(port, sent)).not.toContain('HTTP/1.1 5')
  })
})
