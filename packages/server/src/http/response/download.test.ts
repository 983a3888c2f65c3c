import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises'
import { get } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import fc from 'fast-check'
import { type FastifyInstance, fastify } from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Failure } from '../../platform/failure.ts'
import { openDiskStore } from '../../platform/object-store/disk.ts'
import type { ByteRange, ObjectStore } from '../../platform/object-store/objects.ts'
import { openPieces } from '../../platform/object-store/pieces.ts'
import { attachment, inline } from './content-disposition.ts'
import { type Download, sendDownload } from './download.ts'

const content = Buffer.from('0123456789')
const etag = '"abc"'
const lastModified = new Date('2026-01-31T08:15:30.999Z')
const modified = 'Sat, 31 Jan 2026 08:15:30 GMT'

let app: FastifyInstance
let port: number
let folder: string
let objects: ObjectStore
let download: Download
let opened: (ByteRange | undefined)[]
let logged: unknown[] = []
let failed: unknown[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'alcove-download-'))
  objects = await openDiskStore(folder)
  await objects.put('ten', Readable.from([content]))
  await objects.put('none', Readable.from([]))
  await objects.put('large', Readable.from(Array.from({ length: 32 }, () => Buffer.alloc(1024 * 1024, 'x'))))
  app = fastify({ logger: { level: 'error', stream: { write: (line: string) => logged.push(JSON.parse(line)) } } })
  app.get('/', async (request, reply) => {
    await sendDownload(reply, request, download)
    return reply
  })
  app.setErrorHandler((error, _request, reply) => {
    failed.push(error)
    return reply
      .code(error instanceof Failure ? (error.cause.kind === 'gone' ? 404 : 412) : 500)
      .send(error instanceof Failure ? error.cause : { error: `${error}` })
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  port = (app.server.address() as AddressInfo).port
})
afterAll(async () => {
  await app.close()
  await rm(folder, { recursive: true, force: true })
})
beforeEach(() => {
  opened = []
  logged = []
  failed = []
  download = of('ten', content.length)
})

function of(key: string, bytes: number, more: Partial<Download> = {}): Download {
  return {
    open(range) {
      opened.push(range)
      return openPieces(objects, key, range)
    },
    bytes,
    contentType: 'application/octet-stream',
    disposition: attachment('floor_plan.png'),
    ...more,
  }
}

const ask = (headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
  app.inject({ method, url: '/', headers })

test('a whole file has GitLab’s headers', async () => {
  const response = await ask()
  expect(response.statusCode).toBe(200)
  expect(response.rawPayload).toEqual(content)
  expect(response.headers).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename="floor_plan.png"; filename*=UTF-8''floor_plan.png`,
    'content-transfer-encoding': 'binary',
    'content-length': '10',
    'x-content-type-options': 'nosniff',
    'accept-ranges': 'bytes',
    'cache-control': 'max-age=0, private, must-revalidate',
  })
  expect(response.headers).not.toHaveProperty('etag')
})

test('a file can be inline, cacheable and dated', async () => {
  download = of('ten', 10, {
    contentType: 'image/png',
    disposition: inline('a.png'),
    cacheControl: 'max-age=300, public',
    etag,
    lastModified,
  })
  expect((await ask()).headers).toMatchObject({
    'content-type': 'image/png',
    'content-disposition': `inline; filename="a.png"; filename*=UTF-8''a.png`,
    'cache-control': 'max-age=300, public',
    etag,
    'last-modified': modified,
  })
})

test('an empty file is sent', async () => {
  download = of('none', 0)
  const response = await ask()
  expect(response.statusCode).toBe(200)
  expect(response.headers['content-length']).toBe('0')
  expect(response.payload).toBe('')
  expect((await ask({ range: 'bytes=0-' })).statusCode).toBe(416)
  expect((await ask({}, 'HEAD')).headers['content-length']).toBe('0')
})

test('a missing object rejects before anything is sent', async () => {
  download = of('missing', 10)
  for (const method of ['GET', 'HEAD'] as const) {
    const response = await ask({}, method)
    expect(response.statusCode).toBe(404)
    expect(response.headers).not.toHaveProperty('content-disposition')
  }
  expect((await ask({ range: 'bytes=0-1' })).json()).toEqual({ kind: 'gone' })
})

test('HEAD returns the headers of GET and reads at most one byte', async () => {
  download = of('ten', 10, { etag })
  const response = await ask({ range: 'bytes=2-3' }, 'HEAD')
  expect(response.statusCode).toBe(200)
  expect(response.payload).toBe('')
  const { date: _, connection: __, ...headers } = (await ask()).headers
  expect(response.headers).toMatchObject(headers)
  expect(opened[0]).toEqual({ start: 0, end: 0 })
})

describe('the range', () => {
  test.each([
    ['bytes=0-0', '0', '0-0'],
    ['bytes=2-4', '234', '2-4'],
    ['bytes=7-', '789', '7-9'],
    ['bytes=-3', '789', '7-9'],
    ['bytes=-99', '0123456789', '0-9'],
    ['bytes=5-99999999999999999999', '56789', '5-9'],
    ['Bytes= 1-1 ', '1', '1-1'],
  ])('%s returns its part', async (range, part, sent) => {
    const response = await ask({ range })
    expect(response.statusCode).toBe(206)
    expect(response.payload).toBe(part)
    expect(response.headers).toMatchObject({ 'content-range': `bytes ${sent}/10`, 'content-length': `${part.length}` })
  })

  test.each(['bytes=10-', 'bytes=10-20', 'bytes=-0', 'bytes=99999999999999999999-'])(
    '%s returns 416',
    async (range) => {
      const response = await ask({ range })
      expect(response.statusCode).toBe(416)
      expect(response.headers['content-range']).toBe('bytes */10')
      expect(response.payload).toBe('')
      expect(opened).toEqual([])
    },
  )

  test.each(['bytes=0-1,3-4', 'bytes=3-2', 'bytes=abc', 'bytes=-', 'bytes=', 'lines=0-1', '0-1'])(
    '%s returns the whole file',
    async (range) => {
      const response = await ask({ range })
      expect(response.statusCode).toBe(200)
      expect(response.payload).toBe('0123456789')
    },
  )

  test('is used only when If-Range matches', async () => {
    download = of('ten', 10, { etag, lastModified })
    const statusFor = async (condition: string) => (await ask({ range: 'bytes=0-1', 'if-range': condition })).statusCode
    expect(await statusFor(etag)).toBe(206)
    expect(await statusFor(modified)).toBe(206)
    expect(await statusFor('"other"')).toBe(200)
    expect(await statusFor(`W/${etag}`)).toBe(200)
    expect(await statusFor('Sat, 31 Jan 2026 08:15:31 GMT')).toBe(200)
    download = of('ten', 10)
    expect(await statusFor(etag)).toBe(200)
  })

  test('of any two numbers returns exactly those bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(12), fc.nat(12), async (start, end) => {
        const response = await ask({ range: `bytes=${start}-${end}` })
        if (end < start) expect(response.statusCode).toBe(200)
        else if (start > 9) expect(response.statusCode).toBe(416)
        else expect(response.rawPayload).toEqual(content.subarray(start, end + 1))
      }),
    )
  })
})

describe('a conditional GET', () => {
  test.each([
    [{ 'if-none-match': etag }, 304],
    [{ 'if-none-match': `"x", W/${etag}` }, 304],
    [{ 'if-none-match': '*' }, 304],
    [{ 'if-none-match': '"x"' }, 200],
    [{ 'if-none-match': '"x"', 'if-modified-since': modified }, 200],
    [{ 'if-modified-since': modified }, 304],
    [{ 'if-modified-since': 'Sat, 31 Jan 2026 08:15:29 GMT' }, 200],
    [{ 'if-modified-since': 'yesterday' }, 200],
    [{ 'if-none-match': etag, range: 'bytes=0-1' }, 304],
  ])('with %j returns %i', async (headers, status) => {
    download = of('ten', 10, { etag, lastModified })
    const response = await ask(headers as Record<string, string>)
    expect(response.statusCode).toBe(status)
    if (status !== 304) return
    expect(response.payload).toBe('')
    expect(response.headers).toMatchObject({ etag, 'cache-control': 'max-age=0, private, must-revalidate' })
    expect(opened).toEqual([])
    expect((await ask(headers as Record<string, string>, 'HEAD')).statusCode).toBe(304)
  })
})

describe('a GET with a precondition', () => {
  const another = { 'if-match': '"x"' }
  test.each([
    [another, 412],
    [{ 'if-match': `W/${etag}` }, 412], // a weak one tells too little
    [{ 'if-match': `"x", ${etag}` }, 200],
    [{ 'if-match': '*' }, 200],
    [{ 'if-match': etag, 'if-unmodified-since': 'Sat, 31 Jan 2026 08:15:29 GMT' }, 200],
    [{ 'if-unmodified-since': 'Sat, 31 Jan 2026 08:15:29 GMT' }, 412],
    [{ 'if-unmodified-since': modified }, 200],
    [{ 'if-unmodified-since': 'yesterday' }, 200],
    [{ ...another, 'if-none-match': etag }, 412],
    [{ ...another, range: 'bytes=0-1' }, 412],
    [{ 'if-match': etag, range: 'bytes=0-1' }, 206],
  ])('with %j returns %i', async (headers, status) => {
    download = of('ten', 10, { etag, lastModified })
    for (const method of ['GET', 'HEAD'] as const) {
      const response = await ask(headers as Record<string, string>, method)
      expect(response.statusCode).toBe(method === 'HEAD' && status === 206 ? 200 : status)
      if (status === 412) expect(opened).toEqual([])
    }
    if (status === 412) expect(failed).toMatchObject([{ cause: { kind: 'precondition-failed' } }, {}])
  })

  test('fails for a file without an ETag', async () => {
    expect((await ask(another)).statusCode).toBe(412)
    expect((await ask({ 'if-match': '*' })).statusCode).toBe(200)
  })
})

describe('a download over a connection', () => {
  test('is closed by a read error in the middle', async () => {
    let reads = 0
    download = of('', 1_000_000, {
      open: async () =>
        new Readable({
          read() {
            if (++reads < 5) this.push(Buffer.alloc(100_000))
            else setTimeout(() => this.destroy(new Error('the disk is gone')), 20)
          },
        }),
    })
    await expect(fetchBytes()).rejects.toThrow()
    download = of('ten', 10)
    expect(await fetchBytes()).toBe(10)
  })

  test('returns 500 after a read error before the first byte', async () => {
    download = of('', 10, {
      open: async () =>
        new Readable({
          read() {
            this.destroy(new Error('the disk is gone'))
          },
        }),
    })
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(500)
  })

  test('fails when the object differs from the recorded length', async () => {
    download = of('ten', 11)
    await expect(fetchBytes()).rejects.toThrow()
    download = of('large', 5_000_000)
    await expect(fetchBytes()).rejects.toThrow()
    download = of('ten', 9)
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(500)
    await expect.poll(openFiles, { timeout: 5000 }).toEqual([])
  })

  test('is closed by a read error in the middle of a file, which is closed too', async () => {
    download = of('large', 32 * 1024 * 1024, {
      open: async () => {
        const pieces = await objects.openPieces?.('large')
        let reads = 0
        const next = (most: number) => {
          if (++reads === 3) return Promise.reject(new Error('the disk is gone'))
          return pieces?.next(most) ?? Promise.resolve(undefined)
        }
        return pieces && { ...pieces, next }
      },
    })
    await expect(fetchBytes()).rejects.toThrow()
    expect(logged).toMatchObject([{ msg: 'download ended early', err: { message: 'the disk is gone' } }])
    await expect.poll(openFiles, { timeout: 5000 }).toEqual([])
    download = of('ten', 10)
    expect(await fetchBytes()).toBe(10)
  })

  // The read buffers hold one byte more than 512 KiB.
  const full = 512 * 1024 + 1
  test.each([
    ['longer than one full buffer', full + 1, full],
    ['longer than two full buffers', 2 * full + 5, 2 * full],
    ['a byte longer than two full buffers', 2 * full + 1, 2 * full],
    ['shorter, and one full buffer', full, full + 1],
    ['shorter, and two full buffers', 2 * full, 3 * full],
  ])('fails when the object is %s', async (_, stored, recorded) => {
    await objects.put('odd', Readable.from([Buffer.alloc(stored)]))
    for (const open of [() => openPieces(objects, 'odd'), () => objects.open('odd')]) {
      download = of('odd', recorded, { open })
      const answer = await fetch(`http://127.0.0.1:${port}/`)
      if (answer.status !== 500) await expect(answer.arrayBuffer()).rejects.toThrow()
      download = of('odd', stored, { open })
      expect(await fetchBytes()).toBe(stored)
    }
    await expect.poll(openFiles, { timeout: 5000 }).toEqual([])
  })

  test('closes the file without an error when the client disconnects before the first chunk', async () => {
    let given = 0
    download = of('large', 32 * 1024 * 1024, {
      open: async () => {
        const pieces = await objects.openPieces?.('large')
        const next = async (most: number) => {
          await new Promise((resolve) => setTimeout(resolve, 60))
          const piece = await pieces?.next(most)
          given++
          return piece
        }
        return pieces && { ...pieces, next }
      },
    })
    const socket = connect(port, '127.0.0.1', () => {
      socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
      setTimeout(() => socket.destroy(), 15)
    })
    await expect.poll(() => given, { timeout: 5000 }).toBe(1)
    await expect.poll(openFiles, { timeout: 5000 }).toEqual([])
    expect(failed).toEqual([])
    expect(logged).toEqual([])
  })

  test('closes the file when the client disconnects in the middle', async () => {
    download = of('large', 32 * 1024 * 1024)
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        await new Promise<void>((resolve) => {
          get({ port, host: '127.0.0.1' }, (response) => {
            response.once('data', () => response.destroy())
            response.once('close', resolve)
          })
        })
      }),
    )
    await expect.poll(openFiles, { timeout: 5000 }).toEqual([])
  })

  test('closes the file when the client disconnects before the response', async () => {
    let answered = false
    download = of('large', 32 * 1024 * 1024, {
      open: async () => {
        await new Promise((resolve) => setTimeout(resolve, 50))
        const stream = await objects.open('large')
        answered = true
        return stream
      },
    })
    const socket = connect(port, '127.0.0.1', () => {
      socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
      setTimeout(() => socket.destroy(), 15)
    })
    await expect.poll(() => answered, { timeout: 5000 }).toBe(true)
    await expect.poll(openFiles, { timeout: 5000 }).toEqual([])
  })

  test('is read only as fast as the client receives it', async () => {
    let read = 0
    download = of('', 1024 * 1024 * 1024, {
      open: async () =>
        new Readable({
          read() {
            read += 65536
            this.push(Buffer.alloc(65536))
          },
        }),
    })
    const socket = connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'))
    socket.pause()
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(read).toBeGreaterThan(0)
    expect(read).toBeLessThan(32 * 1024 * 1024)
    socket.destroy()
  })

  test('can follow a HEAD on the same connection', async () => {
    download = of('ten', 10)
    const head = await fetch(`http://127.0.0.1:${port}/`, { method: 'HEAD' })
    expect(head.headers.get('content-length')).toBe('10')
    expect(await fetchBytes()).toBe(10)
    await expect.poll(openFiles, { timeout: 5000 }).toEqual([])
  })
})

async function fetchBytes(): Promise<number> {
  return (await (await fetch(`http://127.0.0.1:${port}/`)).arrayBuffer()).byteLength
}

/** Skipped on systems that do not provide this information. */
async function openFiles(): Promise<string[]> {
  const numbers = await readdir('/proc/self/fd').catch(() => [])
  const targets = await Promise.all(numbers.map((number) => readlink(`/proc/self/fd/${number}`).catch(() => '')))
  return targets.filter((target) => target.startsWith(folder))
}
