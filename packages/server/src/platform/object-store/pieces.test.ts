import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDiskStore } from './disk.ts'
import type { ByteRange, ObjectStore, Pieces } from './objects.ts'
import { openBufferPool, readRemaining } from './pieces.ts'

const content = randomBytes(2 * 1024 * 1024 + 7)
const all = Number.POSITIVE_INFINITY
let folder: string
let objects: ObjectStore

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'alcove-pieces-'))
  objects = await openDiskStore(folder)
  await objects.put('file', Readable.from([content]))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function open(range?: ByteRange): Promise<Pieces> {
  const pieces = await objects.openPieces?.('file', range)
  if (!pieces) throw new Error('there is no such object')
  return pieces
}

async function readAll(pieces: Pieces, maxBytes = all): Promise<Buffer> {
  const copies: Buffer[] = []
  for (let piece = await pieces.next(maxBytes); piece; piece = await pieces.next(maxBytes)) {
    expect(piece.length).toBeLessThanOrEqual(maxBytes)
    copies.push(Buffer.from(piece)) // the next one may come into the same memory
  }
  pieces.close()
  return Buffer.concat(copies)
}

test('the chunks of a file equal the file, whole or in a range, in any size', async () => {
  expect(await readAll(await open())).toEqual(content)
  expect(await readAll(await open(), 100_000)).toEqual(content)
  expect(await readAll(await open({ start: 5, end: 1_000_004 }))).toEqual(content.subarray(5, 1_000_005))
  expect(await readAll(await open({ start: content.length - 1, end: content.length + 9 }))).toEqual(
    content.subarray(-1),
  )
  expect(await objects.openPieces?.('missing')).toBeUndefined()
})

test('the remaining bytes of a file are those after the ones that were read, although reads share a buffer', async () => {
  const pieces = await open()
  await pieces.next(1000)
  expect((await readRemaining(pieces)).equals(content.subarray(1000))).toBe(true)
  expect(await pieces.next(1000)).toBeUndefined()
})

test('more readers than large buffers all read correct content', async () => {
  const readers = await Promise.all(
    Array.from({ length: 40 }, (_, index) => open({ start: index, end: content.length })),
  )
  const first = await Promise.all(readers.map((reader) => reader.next(all)))
  first.forEach((piece, index) => {
    expect(piece?.equals(content.subarray(index, index + (piece?.length ?? 0)))).toBe(true)
  })
  expect(new Set(first.map((piece) => piece?.length)).size).toBe(2)
  for (const reader of readers) reader.close()
})

test('the buffer pool reuses released buffers, and never gives one to two readers', () => {
  const pool = openBufferPool()
  const buffers = Array.from({ length: 16 }, () => pool.acquire(all))
  expect(new Set(buffers).size).toBe(16)
  expect(pool.acquire(all).length).toBeLessThan(buffers[0]?.length ?? 0)
  if (buffers[3]) pool.release(buffers[3])
  expect(pool.acquire(all)).toBe(buffers[3])
  expect(pool.acquire(10).length).toBe(10)
})

test('closing during a read returns nothing and leaves no descriptor open', async () => {
  const pieces = await open()
  const reading = pieces.next(all)
  pieces.close()
  pieces.close()
  expect(await reading).toBeUndefined()
  expect(await pieces.next(all)).toBeUndefined()
  await expect.poll(openDescriptors).toEqual([])
})

/** Skipped on systems that do not provide this information. */
async function openDescriptors(): Promise<string[]> {
  const descriptors = await readdir('/proc/self/fd').catch(() => [])
  const targets = await Promise.all(descriptors.map((number) => readlink(`/proc/self/fd/${number}`).catch(() => '')))
  return targets.filter((target) => target.startsWith(folder))
}
