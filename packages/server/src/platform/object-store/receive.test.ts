import { createHash } from 'node:crypto'
import { createReadStream, existsSync, readFileSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, pipeline, Readable, Transform } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { Failure } from '../failure.ts'
import { type Bytes, streamOf } from './bytes.ts'
import { openDiskStore } from './disk.ts'
import { openMemoryStore } from './memory.ts'
import type { ObjectStore } from './objects.ts'
import { type ReceiveOptions, receiveFile } from './receive.ts'

let keys = 0
const receive = (objects: ObjectStore, body: Bytes, maxBytes = 1_000_000, transform?: Transformation) =>
  receiveFile(objects, body, {
    filename: 'a.bin',
    maxBytes,
    newKey: () => `received/${++keys}`,
    ...(transform && { transform }),
  })
type Transformation = NonNullable<ReceiveOptions['transform']>

test('a file is stored, counted and hashed for all chunk sizes', async () => {
  const objects = openMemoryStore()
  const chunks = fc.array(fc.uint8Array({ maxLength: 5000 }), { maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(chunks, async (chunks) => {
      const content = Buffer.concat(chunks)
      const file = await receive(objects, Readable.from(chunks.map((chunk) => Buffer.from(chunk))), content.length)

      expect(file).toMatchObject({ filename: 'a.bin', bytes: content.length, sha256: sha256(content), kept: false })
      expect(Buffer.from(file.head)).toEqual(content.subarray(0, 4100))
      expect(await read(objects, file.key)).toEqual(content)
    }),
  )
})

test('a file above the limit is rejected and not stored', async () => {
  const objects = openMemoryStore()
  const chunks = fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 1, maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(chunks, async (sizes) => {
      const body = Readable.from(sizes.map((size) => Buffer.alloc(size)))
      const limit = sizes.reduce((sum, size) => sum + size, 0) - 1
      await expect(receive(objects, body, limit)).rejects.toMatchObject({ cause: { kind: 'too-large' } })
      expect(await keysOf(objects)).toEqual([])
    }),
  )
})

test('an endless body is rejected at the limit and not destroyed', async () => {
  const objects = openMemoryStore()
  let given = 0
  const body = new Readable({
    read() {
      given += 65536
      this.push(Buffer.alloc(65536))
    },
  })
  await expect(receive(objects, body)).rejects.toBeInstanceOf(Failure)
  expect(body.destroyed).toBe(false)
  const atFailure = given
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(given).toBeLessThanOrEqual(atFailure + 65536)
  expect(await keysOf(objects)).toEqual([])
  body.destroy()
})

test('an iterated body is ended when the limit is exceeded and when the store fails', async () => {
  const full = new Error('no space left on device')
  const failing: ObjectStore = {
    ...openMemoryStore(),
    async put(_, body) {
      for await (const _ of body) throw full
    },
  }
  const keep: Transformation = (_, body) => body
  for (const [objects, maxBytes] of [[openMemoryStore(), 9_000] as const, [failing, 1e6] as const]) {
    for (const transform of [undefined, keep]) {
      let isEnded = false
      const body = (async function* () {
        try {
          for (;;) yield Buffer.alloc(5_000)
        } finally {
          isEnded = true
        }
      })()
      await expect(receive(objects, body, maxBytes, transform)).rejects.toBeInstanceOf(Error)
      await expect.poll(() => isEnded).toBe(true)
    }
  }
})

test('a failing body rejects with its own error', async () => {
  const objects = openMemoryStore()
  const failure = new Error('the line went dead')
  const body = new PassThrough()
  body.write('half')
  setImmediate(() => body.destroy(failure))
  await expect(receive(objects, body)).rejects.toBe(failure)

  const cutOff = new PassThrough()
  setImmediate(() => cutOff.destroy())
  await expect(receive(objects, cutOff)).rejects.toThrow('Premature close')
  expect(await keysOf(objects)).toEqual([])
})

test('a failing store rejects at once, even while the client sends nothing', async () => {
  const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  const objects: ObjectStore = { ...openMemoryStore(), put: () => Promise.reject(full) }
  const silent = new PassThrough()
  await expect(receive(objects, silent)).rejects.toBe(full)
  expect(silent.destroyed).toBe(false)
})

describe('a transformed file', () => {
  /** Removes every `x`. */
  const withoutX: Transformation = (_, body) =>
    pipeline(
      body,
      new Transform({
        transform(chunk: Buffer, _encoding, done) {
          done(
            null,
            chunk.filter((byte) => byte !== 0x78),
          )
        },
      }),
      () => {},
    )
  const chunks = fc.array(fc.uint8Array({ maxLength: 5000 }), { maxLength: 8 })

  test('is counted, hashed and recognised after the transformation, and limited before it', async () => {
    const objects = openMemoryStore()
    await fc.assert(
      fc.asyncProperty(chunks, async (pieces) => {
        const given = Buffer.concat(pieces)
        const body = () => Readable.from(pieces.map((piece) => Buffer.from(piece)))
        const stored = Buffer.from(given.filter((byte) => byte !== 0x78))
        const file = await receive(objects, body(), given.length, withoutX)

        expect(file).toMatchObject({ bytes: stored.length, sha256: sha256(stored) })
        expect(Buffer.from(file.head)).toEqual(stored.subarray(0, 4100))
        expect(await read(objects, file.key)).toEqual(stored)
        if (given.length > 0)
          await expect(receive(objects, body(), given.length - 1, withoutX)).rejects.toThrow(Failure)
      }),
    )
  })

  test('is transformed according to its first 4,100 bytes, or all when there are fewer', async () => {
    const objects = openMemoryStore()
    await fc.assert(
      fc.asyncProperty(chunks, async (pieces) => {
        const given = Buffer.concat(pieces)
        const heads: Buffer[] = []
        const choose: Transformation = (head, body) => {
          heads.push(Buffer.from(head))
          return body
        }
        const file = await receive(objects, Readable.from(pieces.map((piece) => Buffer.from(piece))), 1e6, choose)
        // The transformation is not called for an empty file.
        expect(heads).toEqual(given.length > 0 ? [given.subarray(0, 4100)] : [])
        expect(await read(objects, file.key)).toEqual(given)
      }),
    )
  })

  test('fails with its body at any moment, and stores nothing', async () => {
    const objects = openMemoryStore()
    for (const bytes of [0, 100, 300_000]) {
      const failure = new Error('the line went dead')
      const body = new PassThrough()
      if (bytes > 0) body.write(Buffer.alloc(bytes))
      setTimeout(() => body.destroy(failure), 5)
      await expect(receive(objects, body, 1e6, withoutX)).rejects.toBe(failure)
    }
    expect(await keysOf(objects)).toEqual([])
  })

  test('fails with an error of the transformation', async () => {
    const objects = openMemoryStore()
    const failure = new Error('no space left on device')
    const fail: Transformation = (_, body) =>
      pipeline(body, new Transform({ transform: (_chunk, _encoding, done) => done(failure) }), () => {})
    const body = new PassThrough()
    body.write(Buffer.alloc(10_000))
    await expect(receive(objects, body, 1e6, fail)).rejects.toBe(failure)
    expect(body.destroyed).toBe(false)
    expect(await keysOf(objects)).toEqual([])
  })

  test('is closed when the store fails, and the body is not destroyed', async () => {
    const full = new Error('no space left on device')
    const objects: ObjectStore = {
      ...openMemoryStore(),
      async put(_, body) {
        for await (const _ of body) throw full
      },
    }
    let transformed: Readable | undefined
    const body = new PassThrough()
    body.write(Buffer.alloc(10_000))
    const keep: Transformation = (head, given) => {
      transformed = streamOf(withoutX(head, given))
      return transformed
    }
    await expect(receive(objects, body, 1e6, keep)).rejects.toBe(full)
    await expect.poll(() => transformed?.destroyed).toBe(true)
    expect(body.destroyed).toBe(false)
  })
})

describe('a file received on disk', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'alcove-receive-'))
  const objects = await openDiskStore(folder)
  afterAll(() => rm(folder, { recursive: true, force: true }))

  test('of 128 MiB is not held in memory', async () => {
    const total = 128 * 1024 * 1024
    const chunk = Buffer.alloc(65536, 7)
    let given = 0
    let peak = 0
    const body = new Readable({
      read() {
        peak = Math.max(peak, process.memoryUsage().arrayBuffers)
        given += chunk.length
        this.push(given > total ? null : Buffer.from(chunk))
      },
    })
    const before = process.memoryUsage().arrayBuffers
    const file = await receive(objects, body, total)
    expect(file.bytes).toBe(total)
    expect(peak - before).toBeLessThan(64 * 1024 * 1024)
  })

  test('that is rejected leaves no temporary file', async () => {
    await expect(receive(objects, Readable.from([Buffer.alloc(2_000_000)]))).rejects.toBeInstanceOf(Failure)
    expect(await readdir(join(folder, 'tmp'))).toEqual([])
  })

  const data = new URL('../../../../../../shared/data/', import.meta.url).pathname
  test.runIf(existsSync(data))('equals the collected attachment', async () => {
    const { files } = JSON.parse(readFileSync(join(data, 'expected.json'), 'utf8')) as {
      files: { file: string; kind: string; bytes: number; sha256: string }[]
    }
    const attachments = files.filter(({ kind }) => kind === 'attachment')
    expect(attachments.length).toBeGreaterThan(50)
    for (const { file: path, bytes, sha256 } of attachments) {
      const file = await receive(objects, createReadStream(join(data, path)))
      expect(file, path).toMatchObject({ bytes, sha256 })
      expect(await read(objects, file.key), path).toEqual(readFileSync(join(data, path)))
    }
  })
})

async function read(objects: ObjectStore, key: string): Promise<Buffer | undefined> {
  const stream = await objects.open(key)
  return stream && buffer(stream)
}

async function keysOf(objects: ObjectStore): Promise<string[]> {
  const found = []
  for await (const { key } of objects.list('')) found.push(key)
  return found
}

const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex')
