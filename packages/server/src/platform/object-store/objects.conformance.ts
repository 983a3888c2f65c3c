import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { PassThrough, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ByteRange, ObjectStore } from './objects.ts'
import { readPieces } from './pieces.ts'

/**
 * Conformance tests of object stores. `openStore` returns an empty store, which is closed at the end. `isAtomic` is
 * false for a bucket emulator that overwrites objects being read; the server never puts to a key twice.
 */
export function describeObjectStore(
  name: string,
  openStore: () => Promise<ObjectStore>,
  { isAtomic = true }: { isAtomic?: boolean } = {},
): void {
  describe(`the ${name} object store`, () => {
    let store: ObjectStore
    let keys = 0
    const newKey = () => `${name}/${++keys}.bin`

    beforeAll(async () => {
      store = await openStore()
    })
    afterAll(() => store.close())

    test('returns what was stored, for all chunk sizes', async () => {
      const chunks = fc.array(fc.uint8Array({ maxLength: 3000 }), { maxLength: 20 })
      await fc.assert(
        fc.asyncProperty(chunks, async (chunks) => {
          const key = newKey()
          await store.put(key, Readable.from(chunks.map((chunk) => Buffer.from(chunk))))
          expect(await read(store, key)).toEqual(Buffer.concat(chunks))
        }),
        { numRuns: 30 },
      )
    })

    test('stores an empty object', async () => {
      const key = newKey()
      await store.put(key, Readable.from([]))

      expect(await read(store, key)).toEqual(Buffer.alloc(0))
    })

    test('returns undefined for a missing object', async () => {
      expect(await store.open('nothing/here')).toBeUndefined()
      expect(await store.open('nothing/here', { start: 0, end: 1 })).toBeUndefined()
    })

    test('reads an object in pieces, each of which is valid until the next one is read', async () => {
      const content = numbered(700_000)
      const key = newKey()
      await store.put(key, Readable.from([content]))
      const pieces: Buffer[] = []
      for await (const piece of readPieces(store, key)) pieces.push(Buffer.from(piece))

      expect(Buffer.concat(pieces).equals(content)).toBe(true)
      await expect(readPieces(store, 'nothing/here').next()).rejects.toThrow('not in the object store')
    })

    test('reads any range of an object', async () => {
      const content = numbered(200_000)
      const key = newKey()
      await store.put(key, Readable.from([content]))
      const offset = fc.nat({ max: content.length - 1 })

      await fc.assert(
        fc.asyncProperty(offset, offset, async (one, other) => {
          const range = { start: Math.min(one, other), end: Math.max(one, other) }
          expect((await read(store, key, range))?.equals(content.subarray(range.start, range.end + 1))).toBe(true)
        }),
        {
          numRuns: 30,
          examples: [
            [0, 0],
            [0, content.length - 1],
            [content.length - 1, content.length - 1],
          ],
        },
      )
      expect(await read(store, key, { start: content.length - 3, end: content.length + 99 })).toEqual(
        content.subarray(-3),
      )
    })

    test('returns nothing for a range after the last byte', async () => {
      const key = newKey()
      await store.put(key, Readable.from([Buffer.from('four')]))

      expect(await read(store, key, { start: 4, end: 9 })).toEqual(Buffer.alloc(0))
    })

    test('stores a stream of another store, or of a part of a file', async () => {
      const file = fileURLToPath(import.meta.url)
      const [key, copy, part] = [newKey(), newKey(), newKey()]
      await store.put(key, createReadStream(file))
      await store.put(copy, (await store.open(key)) ?? Readable.from([]))
      await store.put(part, createReadStream(file, { start: 7, end: 20 }))

      const content = await readFile(file)
      expect((await read(store, copy))?.equals(content)).toBe(true)
      expect(await read(store, part)).toEqual(content.subarray(7, 21))
    })

    test('removes an object, and can remove it twice', async () => {
      const key = newKey()
      await store.put(key, Readable.from([Buffer.from('x')]))
      await store.remove(key)
      await store.remove(key)

      expect(await store.open(key)).toBeUndefined()
    })

    test('lists by prefix, with sizes and dates', async () => {
      const begun = Date.now() - 5000
      for (const [key, bytes] of [
        ['list/a', 1],
        ['list/a/b', 2],
        ['list/a.b', 3],
        ['lists/c', 4],
      ] as const) {
        await store.put(key, Readable.from([Buffer.alloc(bytes)]))
      }
      const found = await list(store, 'list/')

      expect(found.map(({ key, bytes }) => [key, bytes]).sort()).toEqual([
        ['list/a', 1],
        ['list/a.b', 3],
        ['list/a/b', 2],
      ])
      expect(found.every(({ modifiedAt }) => modifiedAt.getTime() > begun)).toBe(true)
      expect((await list(store, 'list/a/')).map(({ key }) => key)).toEqual(['list/a/b'])
      expect(await list(store, 'lisp')).toEqual([])
    })

    test('stores nothing when the body fails, and rejects with its error', async () => {
      const key = `failing/${newKey()}`
      const failure = new Error('the line went dead')
      const body = new PassThrough()
      const put = store.put(key, body)
      body.write(Buffer.alloc(300_000))
      setImmediate(() => body.destroy(failure))

      await expect(put).rejects.toBe(failure)
      expect(await store.open(key)).toBeUndefined()
      expect(await list(store, 'failing/')).toEqual([])
    })

    test('stores nothing when the body ends early without an error', async () => {
      const key = newKey()
      const body = new PassThrough()
      const put = store.put(key, body)
      body.write('half')
      setImmediate(() => body.destroy())

      await expect(put).rejects.toThrow()
      expect(await store.open(key)).toBeUndefined()
    })

    test('removes no finished objects, and none in progress', async () => {
      const key = newKey()
      const body = new PassThrough()
      const put = store.put(key, body)
      body.write(Buffer.alloc(6 * 1024 * 1024))
      expect(await store.removeUnfinished('', new Date(Date.now() - 60_000))).toBe(0)
      body.end('end')
      await put

      expect(await store.removeUnfinished('', new Date(Date.now() + 60_000))).toBe(0)
      expect((await read(store, key))?.length).toBe(6 * 1024 * 1024 + 3)
    })

    test.runIf(isAtomic)('handles concurrent puts and removes of one key', async () => {
      const key = newKey()
      const contents = Array.from({ length: 8 }, (_, number) => Buffer.alloc(100_000, number))
      await Promise.all(contents.map((content) => store.put(key, Readable.from([content]))))
      const left = await read(store, key)
      expect(contents.some((content) => left?.equals(content))).toBe(true)

      await Promise.all(
        contents.flatMap((content) => [store.put(key, Readable.from([content])), store.remove(key), store.remove(key)]),
      )
      const after = await read(store, key)
      expect(after === undefined || contents.some((content) => after.equals(content))).toBe(true)
    })

    test('reads only as fast as its reader consumes', async () => {
      const key = newKey()
      const content = numbered(16 * 1024 * 1024)
      await store.put(key, Readable.from([content]))
      const stream = await store.open(key)
      let taken = 0
      stream?.on('data', (chunk: Buffer) => {
        taken += chunk.length
        stream.pause()
      })
      await delay(50)
      expect(taken).toBeGreaterThan(0)
      expect(taken).toBeLessThan(2 * 1024 * 1024)
      stream?.destroy()
    })

    test.each([
      '',
      '/',
      'a//b',
      '/a',
      'a/',
      '.',
      'a/./b',
      '..',
      '../a',
      'a/../b',
      'a..b',
      'A',
      'ä',
      'a b',
      'a\0',
      'a\\b',
      'a'.repeat(201),
    ])('rejects the key %j', async (key) => {
      await expect(store.put(key, Readable.from(['x']))).rejects.toThrow('not an object key')
      await expect(store.open(key)).rejects.toThrow('not an object key')
      await expect(store.remove(key)).rejects.toThrow('not an object key')
    })

    test('accepts keys of 200 characters and with every allowed character', async () => {
      for (const key of ['a'.repeat(200), 'a-z/0_9/.b.c', '-']) {
        await store.put(key, Readable.from([Buffer.from(key)]))
        expect((await read(store, key))?.toString()).toBe(key)
      }
    })

    test('is ready', async () => {
      await store.ready()
    })
  })
}

async function read(store: ObjectStore, key: string, range?: ByteRange): Promise<Buffer | undefined> {
  const stream = await store.open(key, range)
  return stream && buffer(stream)
}

async function list(store: ObjectStore, prefix: string) {
  const found = []
  for await (const info of store.list(prefix)) found.push(info)
  return found
}

function numbered(bytes: number): Buffer {
  const content = Buffer.alloc(bytes)
  for (let index = 0; index < bytes; index += 4) content.writeUInt32LE(index, index)
  return content
}
