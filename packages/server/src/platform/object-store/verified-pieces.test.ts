import { createHash } from 'node:crypto'
import { appendFile, mkdtemp, readdir, readlink, rm, truncate, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { openDiskStore } from './disk.ts'
import { openMemoryStore } from './memory.ts'
import type { ByteRange, ObjectStore } from './objects.ts'
import { DamagedObject, openVerified, type RecordedFile, verify } from './verified-pieces.ts'

const full = 512 * 1024
const small = 64 * 1024
const sizes = [0, 1, 1000, small, small + 1, full - 1, full, full + 1, 2 * full, 3_000_000]

test.each(sizes)('an intact object of %i bytes can be read whole and in ranges', async (bytes) => {
  for (const store of [await diskStore(), openMemoryStore()]) {
    const { file, content } = await stored(store, bytes)
    expect((await read(store, file))?.equals(content)).toBe(true)
    expect(await verify(store, file)).toBe(true)
    if (bytes === 0) continue
    for (const range of [
      { start: 0, end: 0 },
      { start: bytes - 1, end: bytes - 1 },
      { start: Math.floor(bytes / 3), end: Math.floor(bytes / 2) },
    ]) {
      expect((await read(store, file, range))?.equals(content.subarray(range.start, range.end + 1))).toBe(true)
    }
  }
})

test.each([
  ['one bit', (content: Buffer) => Buffer.concat([Buffer.from([(content[0] ?? 0) ^ 1]), content.subarray(1)])],
  ['cut off', (content: Buffer) => content.subarray(0, -1)],
  ['emptied', () => Buffer.alloc(0)],
  ['lengthened', (content: Buffer) => Buffer.concat([content, Buffer.from('x')])],
])('a changed object (%s) is never read to its end', async (_, change) => {
  for (const bytes of sizes.filter((size) => size > 0)) {
    for (const store of [await diskStore(), openMemoryStore()]) {
      const { file, content } = await stored(store, bytes)
      await store.put(file.key, Readable.from([change(content)]))
      await expect(read(store, file)).rejects.toThrow(DamagedObject)
      await expect(verify(store, file)).rejects.toThrow(DamagedObject)
      if (bytes <= full) await expect(read(store, file, { start: 0, end: 0 })).rejects.toThrow(DamagedObject)
    }
  }
})

test.each([
  ['range of a large file', 3_000_000, { start: 10, end: 19 }],
  ['large file', 3_000_000, undefined],
  ['file of medium size', 100_000, undefined],
])('a %s on disk is rejected after a change, even when it was intact before', async (_, bytes, range) => {
  const store = await diskStore()
  const { file, content } = await stored(store, bytes)
  const expected = range ? content.subarray(range.start, range.end + 1) : content
  expect((await read(store, file, range))?.equals(expected)).toBe(true)
  expect((await read(store, file, range))?.equals(expected)).toBe(true)

  const [path = ''] = await store.files()
  await appendFile(path, 'x')
  await truncate(path, file.bytes)
  expect((await read(store, file, range))?.equals(expected)).toBe(true) // the same bytes again
  await writeFile(path, Buffer.from('y'), { flag: 'r+' })
  await utimes(path, 0, 0)
  await expect(read(store, file, range)).rejects.toThrow(DamagedObject)
})

test('the digest of a version of a large file is computed once', async () => {
  const store = await diskStore()
  const { file } = await stored(store, 3_000_000)
  const withWrongDigest = { ...file, sha256: '0'.repeat(64) }
  await expect(read(store, withWrongDigest)).rejects.toThrow(DamagedObject)
  await read(store, file)

  expect(await read(store, withWrongDigest)).toHaveLength(3_000_000)
  await expect(verify(store, withWrongDigest)).rejects.toThrow(DamagedObject)
})

test('no file stays open after a range of a large file that had not been verified', async () => {
  const store = await diskStore()
  const { file } = await stored(store, 3_000_000)
  const [path = ''] = await store.files()
  await read(store, file, { start: 10, end: 19 })
  const opened = await Promise.all(
    (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
  )
  expect(opened.filter((target) => target === path)).toEqual([])
})

test('a missing object returns undefined', async () => {
  const store = await diskStore()
  for (const bytes of [1000, 3_000_000]) {
    const file = { key: 'not/there', bytes, sha256: '' }
    expect(await read(store, file)).toBeUndefined()
    expect(await read(store, file, { start: 0, end: 0 })).toBeUndefined()
    expect(await verify(store, file)).toBe(false)
  }
})

async function read(store: ObjectStore, file: RecordedFile, range?: ByteRange): Promise<Buffer | undefined> {
  const pieces = await openVerified(store, file, range)
  if (!pieces || Buffer.isBuffer(pieces)) return pieces
  const bytes = range ? range.end - range.start + 1 : file.bytes
  const read: Buffer[] = []
  try {
    for (let left = bytes; left >= 0; left -= read.at(-1)?.length ?? 0) {
      const piece = await pieces.next(left + 1)
      if (!piece) break
      read.push(Buffer.from(piece))
    }
    return Buffer.concat(read)
  } finally {
    pieces.close()
  }
}

let keys = 0

async function stored(store: ObjectStore, bytes: number) {
  const content = Buffer.alloc(bytes, 'what was stored ')
  const key = `verified/${++keys}`
  await store.put(key, Readable.from([content]))
  return { content, file: { key, bytes, sha256: createHash('sha256').update(content).digest('hex') } }
}

async function diskStore() {
  const folder = await mkdtemp(join(tmpdir(), 'alcove-verified-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const files = async () =>
    (await readdir(folder, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
  return { ...(await openDiskStore(folder)), files }
}
