import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { ObjectStore } from './objects.ts'
import { openS3Store, type S3Limits } from './s3.ts'

// Tests with a misbehaving server; objects.s3.test.ts covers a correct one.

const trouble = { name: 'Failure', cause: { kind: 'unavailable', what: 'the object store' } }
const limits = { connectMs: 300, responseTimeoutMs: 200, sendMs: 300, silenceMs: 200 }

const operations: [string, (store: ObjectStore) => Promise<unknown>][] = [
  ['put', (store) => store.put('a', Readable.from([Buffer.from('content')]))],
  ['open', (store) => store.open('a')],
  ['remove', (store) => store.remove('a')],
  ['list', async (store) => listed(store)],
  ['removeUnfinished', (store) => store.removeUnfinished('', new Date())],
  ['ready', (store) => store.ready()],
]

const misbehaviours: [string, RequestListener][] = [
  ['never responds', () => {}],
  ['closes the connection', ({ socket }) => socket.destroy()],
  ['returns 503', (request, response) => refuse(request, response, 503, 'SlowDown')],
  ['returns 500', (request, response) => refuse(request, response, 500, 'InternalError')],
  ['denies access', (request, response) => refuse(request, response, 403, 'AccessDenied')],
  ['lacks the bucket', (request, response) => refuse(request, response, 404, 'NoSuchBucket')],
  ['is not an S3 server', (request, response) => answer(request, response, 404, '<html>Not here</html>')],
]

test.each(misbehaviours)('a server that %s makes the store unavailable in time', async (_, listener) => {
  await expectTrouble(await storeAt(await serve(listener)))
})

test('a server that is not running makes the store unavailable in time', async () => {
  const port = await serve(() => {})
  await stop(port)
  await expectTrouble(await storeAt(port))
})

test('a server that cannot be reached makes the store unavailable in time', async () => {
  // An unassigned address: packets to it are lost or rejected on the way.
  await expectTrouble(await storeAt('http://192.0.2.1:9', { responseTimeoutMs: 60_000, sendMs: 60_000 }))
})

async function expectTrouble(store: ObjectStore): Promise<void> {
  const began = Date.now()
  const outcomes = operations.map(async ([name, operate]) => [name, await operate(store).catch((error) => error)])
  for (const [name, outcome] of await Promise.all(outcomes))
    expect({ name, outcome }).toMatchObject({ outcome: trouble })
  expect(Date.now() - began).toBeLessThan(6_000)
}

test('an unavailable store has a reason for the log', async () => {
  const store = await storeAt(await serve((request, response) => refuse(request, response, 403, 'AccessDenied')))
  await expect(store.open('a')).rejects.toThrow('AccessDenied 403')
  await expect(store.ready()).rejects.toThrow('403')
  const nobody = await storeAt(1)
  await expect(nobody.ready()).rejects.toThrow('ECONNREFUSED')
})

test('temporary errors are retried', async () => {
  let attempts = 0
  const store = await storeAt(
    await serve((request, response) => {
      if (++attempts < 3) refuse(request, response, 500, 'InternalError')
      else answer(request, response, 200, 'content')
    }),
  )
  expect((await buffer((await store.open('a')) ?? Readable.from([]))).toString()).toBe('content')
  expect(attempts).toBe(3)
})

test.each([
  ['POST', 'the upload cannot begin'],
  ['PUT', 'a part cannot be stored'],
])('a paused upload rejects at once when %s fails: %s', async (method) => {
  const store = await storeAt(
    await serve((request, response) => {
      if (request.method === method) refuse(request, response, 500, 'InternalError')
      else answer(request, response, 200, '<r><UploadId>one</UploadId></r>')
    }),
  )
  const body = new PassThrough()
  const put = store.put('a', body)
  body.write(Buffer.alloc(6 * 1024 * 1024))
  await expect(put).rejects.toMatchObject(trouble)
  expect(body.destroyed).toBe(true)
})

test('no headers are sent that servers other than AWS reject or store', async () => {
  const seen: string[] = []
  const store = await storeAt(
    await serve((request, response) => {
      seen.push(...Object.keys(request.headers))
      answer(request, response, 200, '<r><UploadId>one</UploadId></r>', { etag: '"part"' })
    }),
  )
  await store.put('small', Readable.from([Buffer.from('x')]))
  await store.put('large', Readable.from([Buffer.alloc(6 * 1024 * 1024)]))
  ;(await store.open('small'))?.destroy()
  expect(seen).toContain('authorization')
  expect(seen.filter((name) => /checksum|trailer|decoded|content-encoding|expect/.test(name))).toEqual([])
})

test('the error of a body is thrown even when the cleanup fails', async () => {
  const store = await storeAt(
    await serve((request, response) => {
      if (request.method === 'POST') answer(request, response, 200, '<r><UploadId>one</UploadId></r>')
      else if (request.method === 'PUT') answer(request, response, 200, '', { etag: '"part"' })
      else refuse(request, response, 500, 'InternalError')
    }),
  )
  const failure = new Error('the line went dead')
  const body = new PassThrough()
  const put = store.put('a', body)
  body.write(Buffer.alloc(6 * 1024 * 1024))
  setTimeout(() => body.destroy(failure), 50)
  await expect(put).rejects.toBe(failure)
})

describe('a download from S3', () => {
  const whole = Buffer.alloc(3 * 1024 * 1024, 'x')
  const begin = (response: ServerResponse) => response.writeHead(200, { 'content-length': whole.length })

  test('rejects when it stops', async () => {
    const store = await storeAt(await serve((_, response) => void begin(response).write(whole.subarray(0, 1000))))
    await expect(buffer((await store.open('a')) ?? Readable.from([]))).rejects.toMatchObject(trouble)
  })

  test('rejects when it is cut off', async () => {
    const store = await storeAt(
      await serve((_, response) => begin(response).write(whole.subarray(0, 1000), () => response.destroy())),
    )
    await expect(buffer((await store.open('a')) ?? Readable.from([]))).rejects.toMatchObject(trouble)
  })

  test('is complete for a slow reader', async () => {
    const store = await storeAt(await serve((_, response) => begin(response).end(whole)))
    const stream = (await store.open('a')) ?? Readable.from([])
    let bytes = 0
    for await (const chunk of stream) {
      if (bytes === 0) await delay(4 * limits.silenceMs)
      bytes += chunk.length
    }
    expect(bytes).toBe(whole.length)
  })

  test('is complete when it is slow but steady', async () => {
    // The chunks take longer than the limit together, and each a tenth of it, so that a busy machine does not exceed it.
    const silenceMs = 1000
    const chunks = 'x'.repeat(12)
    const store = await storeAt(
      await serve(async (_, response) => {
        response.writeHead(200, { 'content-length': chunks.length })
        for (const byte of chunks) {
          await delay(silenceMs / 10)
          response.write(byte)
        }
        response.end()
      }),
      { silenceMs },
    )
    expect((await buffer((await store.open('a')) ?? Readable.from([]))).toString()).toBe(chunks)
  })

  test('is aborted when its reader stops', async () => {
    let closed: Promise<unknown> = Promise.resolve()
    const store = await storeAt(
      await serve((_, response) => {
        closed = new Promise((resolve) => response.once('close', resolve))
        begin(response).write(whole.subarray(0, 1000))
      }),
    )
    const stream = (await store.open('a')) ?? Readable.from([])
    for await (const _ of stream) break
    await closed
  })

  test('rejects a later reader when it fails before it is read', async () => {
    const store = await storeAt(await serve((_, response) => begin(response).write('x', () => response.destroy())))
    const stream = (await store.open('a')) ?? Readable.from([])
    await delay(100)
    await expect(buffer(stream)).rejects.toMatchObject(trouble)
  })

  test('does not delay other requests, even 120 at a time', async () => {
    const store = await storeAt(
      await serve((request, response) => {
        if (request.method === 'HEAD') answer(request, response, 200, '')
        else begin(response).write(whole.subarray(0, 1000))
      }),
      { silenceMs: 10_000, responseTimeoutMs: 10_000 },
    )
    const streams = await Promise.all(Array.from({ length: 120 }, () => store.open('a')))
    await store.ready()
    for (const stream of streams) stream?.destroy()
  })
})

test('a list continues over all pages, with dates and sizes', async () => {
  const pages: Record<string, [keys: string[], next?: string]> = {
    '': [['files/a', 'Not One Of Ours'], 'one&two'],
    'one&two': [[], 'three'],
    three: [['files/b']],
  }
  const queries: URLSearchParams[] = []
  const store = await storeAt(
    await serve((request, response) => {
      const { searchParams } = new URL(request.url ?? '', 'http://localhost')
      queries.push(searchParams)
      const [keys, next] = pages[searchParams.get('continuation-token') ?? ''] ?? [[]]
      const contents = keys.map((key) => {
        return `<Contents><Key>${key}</Key><Size>7</Size><LastModified>2026-01-31T08:15:30.000Z</LastModified></Contents>`
      })
      const end = next
        ? `<IsTruncated>true</IsTruncated><NextContinuationToken>${next.replace('&', '&amp;')}</NextContinuationToken>`
        : '<IsTruncated>false</IsTruncated>'
      answer(request, response, 200, `<ListBucketResult>${contents.join('')}${end}</ListBucketResult>`)
    }),
    { pageSize: 2 },
  )
  const modifiedAt = new Date('2026-01-31T08:15:30Z')
  expect(await listed(store, 'files/')).toEqual([
    { key: 'files/a', bytes: 7, modifiedAt },
    { key: 'files/b', bytes: 7, modifiedAt },
  ])
  expect(queries.map((query) => [query.get('prefix'), query.get('max-keys')])).toEqual(Array(3).fill(['files/', '2']))
})

test('parts grow with the maximum object size, because there can be 10,000', async () => {
  const parts: number[] = []
  const store = await storeAt(
    await serve((request, response) => {
      if (request.method === 'PUT') parts.push(Number(request.headers['content-length']))
      answer(request, response, 200, '<r><UploadId>one</UploadId></r>', { etag: '"part"' })
    }),
    { maxObjectBytes: 70_000 * 1024 * 1024, sendMs: 10_000 },
  )
  await store.put('a', Readable.from(Array(17).fill(Buffer.alloc(1024 * 1024))))
  expect(parts.sort((one, other) => one - other)).toEqual([3 * 1024 * 1024, 7 * 1024 * 1024, 7 * 1024 * 1024])
})

test('a server that cannot list unfinished uploads has none', async () => {
  const store = await storeAt(await serve((request, response) => refuse(request, response, 501, 'NotImplemented')))
  expect(await store.removeUnfinished('', new Date())).toBe(0)
})

const servers = new Map<number, () => Promise<void>>()

async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await new Promise((listening) => server.once('listening', listening))
  const { port } = server.address() as AddressInfo
  servers.set(port, async () => {
    server.closeAllConnections()
    if (server.listening) await new Promise((closed) => server.close(closed))
  })
  onTestFinished(() => stop(port))
  return port
}

async function stop(port: number): Promise<void> {
  await servers.get(port)?.()
}

async function storeAt(place: number | string, more: Partial<S3Limits> = {}): Promise<ObjectStore> {
  const endpoint = typeof place === 'string' ? place : `http://127.0.0.1:${place}`
  const keys = { access: 'access', secret: 'secret' }
  const store = openS3Store(
    { endpoint, region: 'us-east-1', bucket: 'bucket', keys, redirect: false },
    { ...limits, ...more },
  )
  onTestFinished(() => store.close())
  return store
}

/** Reads the request completely before responding, as servers do. */
function answer(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  body: string,
  headers: Record<string, string> = {},
): void {
  request.resume().once('end', () => {
    response.writeHead(status, { 'content-length': Buffer.byteLength(body), ...headers }).end(body)
  })
}

function refuse(request: IncomingMessage, response: ServerResponse, status: number, code: string): void {
  answer(request, response, status, `<Error><Code>${code}</Code><Message>It is so.</Message></Error>`)
}

async function listed(store: ObjectStore, prefix = '') {
  const found = []
  for await (const info of store.list(prefix)) found.push(info)
  return found
}
