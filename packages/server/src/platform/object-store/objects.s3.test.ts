import { PassThrough, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import {
  AbortMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
} from '@aws-sdk/client-s3'
import { afterAll, describe, expect, test } from 'vitest'
import { plainClient, startS3 } from '../../testing/stand-ins/s3.ts'
import { describeObjectStore } from './objects.conformance.ts'
import { openS3Store } from './s3.ts'

const server = await startS3()
const store = openS3Store(server.settings)
const client = plainClient(server.settings)
const { bucket: Bucket } = server.settings
afterAll(async () => {
  await store.close()
  client.destroy()
  await server.close()
})

describeObjectStore('s3', async () => openS3Store(server.settings), { isAtomic: server.isReal })

const partBytes = 5 * 1024 * 1024

test.each([partBytes, partBytes + 1, 2 * partBytes, 3 * partBytes + 12_345])(
  'an object of %i bytes is returned whole, and in ranges across its parts',
  async (bytes) => {
    const content = Buffer.alloc(bytes, 'every part differs from the others ')
    await store.put('parts/whole', Readable.from(batchesOf(content)))

    expect((await read('parts/whole')).equals(content)).toBe(true)
    const range = { start: partBytes - 10, end: partBytes + 10 }
    expect(await read('parts/whole', range)).toEqual(content.subarray(range.start, range.end + 1))
  },
)

test('a body that fails after some parts stores no object', async () => {
  const failure = new Error('the line went dead')
  const body = new PassThrough()
  const put = store.put('parts/failing', body)
  body.write(Buffer.alloc(2 * partBytes + 1))
  await delay(300) // until the first parts are there
  body.destroy(failure)

  await expect(put).rejects.toBe(failure)
  expect(await store.open('parts/failing')).toBeUndefined()
  if (server.isReal) expect(await unfinished('parts/')).toEqual([])
})

test.runIf(server.isReal)('a failing body leaves no unfinished upload, whenever it fails', async () => {
  for (const pauseMs of [0, 5, 20, 60, 150]) {
    const failure = new Error(`after ${pauseMs} ms`)
    const body = new PassThrough()
    const put = store.put(`parts/failing-${pauseMs}`, body)
    body.write(Buffer.alloc(3 * partBytes))
    setTimeout(() => body.destroy(failure), pauseMs)
    await expect(put).rejects.toBe(failure)
  }
  expect(await unfinished('parts/')).toEqual([])
})

test.runIf(server.isReal)('a list continues over all pages', async () => {
  const paged = openS3Store(server.settings, { pageSize: 2 })
  const keys = Array.from({ length: 7 }, (_, number) => `paged/${number}`)
  for (const key of keys) await store.put(key, Readable.from([Buffer.from('x')]))
  const found: string[] = []
  for await (const { key } of paged.list('paged/')) found.push(key)
  await paged.close()

  expect(found.sort()).toEqual(keys)
})

test.runIf(server.isReal)('objects with invalid keys in the bucket are not listed', async () => {
  const { PutObjectCommand, DeleteObjectCommand } = await import('@aws-sdk/client-s3')
  for (const Key of ['Foreign Name', 'a//b']) await client.send(new PutObjectCommand({ Bucket, Key, Body: 'x' }))
  const found: string[] = []
  for await (const { key } of store.list('')) found.push(key)
  for (const Key of ['Foreign Name', 'a//b']) await client.send(new DeleteObjectCommand({ Bucket, Key }))

  expect(found).not.toContain('Foreign Name')
  expect(found).not.toContain('a//b')
})

test.runIf(server.isReal)('old unfinished uploads are removed below their prefix only', async () => {
  const paged = openS3Store(server.settings, { pageSize: 2 })
  const begin = async (Key: string) => {
    const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }))
    return { Bucket, Key, UploadId }
  }
  for (let number = 0; number < 5; number++) await begin(`left/${number}`)
  await begin('left/0')
  const elsewhere = await begin('right/0')
  const soon = new Date(Date.now() + 60_000)

  expect(await paged.removeUnfinished('left/', new Date(Date.now() - 60_000))).toBe(0)
  expect(await unfinished('left/')).toHaveLength(6)
  expect(await paged.removeUnfinished('left/', soon)).toBe(6)
  expect(await unfinished('left/')).toEqual([])
  expect(await unfinished('right/')).toEqual(['right/0'])
  await client.send(new AbortMultipartUploadCommand(elsewhere))
  await paged.close()
})

describe('a signed URL', () => {
  const answer = { contentType: 'application/octet-stream', disposition: 'attachment', expiresInSeconds: 300 }
  const sign = (key: string, more = {}) => store.signedUrl?.(key, { ...answer, ...more }) ?? Promise.resolve('')

  test.each([
    'attachment; filename="plain.txt"',
    `attachment; filename="a+b&c=d.txt"; filename*=UTF-8''a+b&c%3Dd.txt`,
    `attachment; filename="100% Grosse.txt"; filename*=UTF-8''100%25%20Gr%C3%B6%C3%9Fe.txt`,
    'attachment; filename="quoted \\"name\\" and \\\\.txt"',
    `inline; filename="%41%0d%0a.txt"; filename*=UTF-8''%2541%250d%250a.txt`,
    `attachment; filename="'(semi;colon)*, #?/.txt"`,
    `attachment; filename*=UTF-8''${'%C3%BC'.repeat(120)}.txt`,
  ])('returns the content with %s', async (disposition) => {
    await store.put('signed/a', Readable.from([Buffer.from('content')]))
    const url = await sign('signed/a', { disposition })
    const reply = await fetch(url)

    expect(reply.status).toBe(200)
    expect(await reply.text()).toBe('content')
    expect(reply.headers.get('content-type')).toBe('application/octet-stream')
    expect(reply.headers.get('content-disposition')).toBe(disposition)
    expect(new URL(url).searchParams.get('X-Amz-Expires')).toBe('300')
  })

  test('returns a range', async () => {
    await store.put('signed/b', Readable.from([Buffer.from('0123456789')]))
    const reply = await fetch(await sign('signed/b'), { headers: { range: 'bytes=3-5' } })

    expect(reply.status).toBe(206)
    expect(reply.headers.get('content-range')).toBe('bytes 3-5/10')
    expect(await reply.text()).toBe('345')
  })

  test.runIf(server.isReal)('is rejected when it was changed or has expired', async () => {
    await store.put('signed/c', Readable.from([Buffer.from('secret')]))
    await store.put('signed/d', Readable.from([Buffer.from('more secret')]))
    const url = await sign('signed/c', { expiresInSeconds: 1 })
    expect((await fetch(url.replace('signed/c', 'signed/d'))).status).toBe(403)
    expect((await fetch(url.replace('octet-stream', 'html'))).status).toBe(403)
    await delay(2_100)
    expect((await fetch(url)).status).toBe(403)
  })
})

test.runIf(server.isReal)('wrong keys make the store unavailable', async () => {
  const { access } = server.settings.keys
  const refused = openS3Store({ ...server.settings, keys: { access, secret: 'wrong' } })
  const trouble = { cause: { kind: 'unavailable', what: 'the object store' } }
  await expect(refused.put('a', Readable.from([Buffer.from('x')]))).rejects.toMatchObject(trouble)
  await expect(refused.open('a')).rejects.toMatchObject(trouble)
  await expect(refused.ready()).rejects.toMatchObject(trouble)
  await refused.close()
})

test('a missing bucket makes the store unavailable', async () => {
  const nowhere = openS3Store({ ...server.settings, bucket: 'alcove-nowhere' })
  const trouble = { cause: { kind: 'unavailable', what: 'the object store' } }
  await expect(nowhere.put('a', Readable.from([Buffer.from('x')]))).rejects.toMatchObject(trouble)
  await expect(nowhere.open('a')).rejects.toMatchObject(trouble)
  await expect(nowhere.ready()).rejects.toMatchObject(trouble)
  await nowhere.close()
})

async function unfinished(Prefix: string): Promise<(string | undefined)[]> {
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix }))
  return Uploads.map(({ Key }) => Key)
}

async function read(key: string, range?: { start: number; end: number }): Promise<Buffer> {
  return buffer((await store.open(key, range)) ?? Readable.from([]))
}

function* batchesOf(content: Buffer, bytes = 60_000): Iterable<Buffer> {
  for (let at = 0; at < content.length; at += bytes) yield content.subarray(at, at + bytes)
}
