import { hash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, expect, test } from 'vitest'
import { startS3 } from '../../testing/stand-ins/s3.ts'
import { type CopyProgress, copyObjects } from './copy.ts'
import { openDiskStore } from './disk.ts'
import { openMemoryStore } from './memory.ts'
import type { ObjectStore } from './objects.ts'
import { openS3Store } from './s3.ts'

const folder = await mkdtemp(join(tmpdir(), 'alcove-copy-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

test('a store can be copied from disk to a bucket and back, byte for byte', async () => {
  const server = await startS3()
  const contents = new Map([
    ['files/empty', Buffer.alloc(0)],
    ['files/small', Buffer.from('small')],
    ['files/in-parts', Buffer.alloc(11 * 1024 * 1024 + 1, 'parts')],
    ['other/place', Buffer.from('elsewhere')],
  ])
  const disk = await openDiskStore(join(folder, 'there'))
  const bucket = openS3Store(server.settings)
  const back = await openDiskStore(join(folder, 'back'))
  for (const [key, content] of contents) await disk.put(key, Readable.from([content]))

  const bytes = 11 * 1024 * 1024 + 1 + 5 + 9
  expect(await copy(disk, bucket)).toEqual({ ...nothing, copied: 4, copiedBytes: bytes })
  expect(await copy(bucket, back)).toEqual({ ...nothing, copied: 4, copiedBytes: bytes })
  expect(await contentsOf(back)).toEqual(await contentsOf(disk))
  await server.close()
})

test('identical objects are skipped, different ones replaced', async () => {
  const [from, to] = [openMemoryStore(), openMemoryStore()]
  for (const key of ['same', 'cut', 'other', 'missing']) await from.put(key, Readable.from([Buffer.from(key)]))
  await to.put('same', Readable.from([Buffer.from('same')]))
  await to.put('cut', Readable.from([Buffer.from('cu')]))
  await to.put('other', Readable.from([Buffer.from('OTHER')]))
  const stored: string[] = []
  const watched: ObjectStore = {
    ...to,
    put(key, body) {
      stored.push(key)
      return to.put(key, body)
    },
  }

  expect(await copy(from, watched)).toEqual({ ...nothing, copied: 3, copiedBytes: 15, skipped: 1 })
  expect(stored.sort()).toEqual(['cut', 'missing', 'other'])
  expect(await contentsOf(to)).toEqual(await contentsOf(from))
  expect(await copy(from, watched)).toEqual({ ...nothing, skipped: 4 })
})

test('an object that arrives damaged is counted as failed and removed', async () => {
  const [from, to] = [await filled(3), openMemoryStore()]
  const damaging: ObjectStore = {
    ...to,
    put: (key, body) => to.put(key, key === 'files/1' ? Readable.from([Buffer.from('damaged')]) : body),
  }
  const failures: string[] = []

  expect(await copy(from, damaging, (key, error) => failures.push(`${key}: ${error}`))).toMatchObject({
    copied: 2,
    failed: 1,
  })
  expect(failures).toEqual(['files/1: Error: it came back with other bytes'])
  expect(await to.open('files/1')).toBeUndefined()
})

test('an object that cannot be read or stored does not stop the others', async () => {
  const [from, to] = [await filled(6), openMemoryStore()]
  const breaking: ObjectStore = {
    ...from,
    async open(key, range) {
      if (key === 'files/2') throw new Error('unreadable')
      const breaks = async function* () {
        yield Buffer.from('half')
        throw new Error('broke off')
      }
      return key === 'files/4' ? Readable.from(breaks(), { objectMode: false }) : from.open(key, range)
    },
  }
  const failures: string[] = []

  expect(await copy(breaking, to, (key, error) => failures.push(`${key}: ${error}`))).toMatchObject({
    copied: 4,
    failed: 2,
  })
  expect(failures.sort()).toEqual(['files/2: Error: unreadable', 'files/4: Error: broke off'])
  expect(await contentsOf(to)).not.toHaveProperty(['files/4'])
})

test('an object that is removed during the copy is no failure', async () => {
  const [from, to] = [await filled(3), openMemoryStore()]
  const shrinking: ObjectStore = {
    ...from,
    open: async (key, range) => (key === 'files/1' ? undefined : from.open(key, range)),
  }
  const removing: ObjectStore = {
    ...to,
    async put(key, body) {
      await to.put(key, body)
      if (key !== 'files/2') return
      await from.remove(key)
      await to.remove(key)
    },
  }
  expect(await copy(shrinking, removing)).toMatchObject({ copied: 1, vanished: 2, failed: 0 })
})

test('20 consecutive failures stop the copy', async () => {
  const from = await filled(100)
  const refusing: ObjectStore = { ...openMemoryStore(), put: async () => Promise.reject(new Error('no')) }
  let failures = 0

  await expect(copy(from, refusing, () => failures++)).rejects.toThrow('stopped after 20 failures in a row')
  expect(failures).toBeGreaterThanOrEqual(20)
  expect(failures).toBeLessThan(20 + 4)
})

test('a source that cannot be listed rejects with its error', async () => {
  const broken: ObjectStore = {
    ...openMemoryStore(),
    // biome-ignore lint/correctness/useYield: it fails before there is anything to yield
    async *list() {
      throw new Error('no list')
    },
  }
  await expect(copy(broken, openMemoryStore())).rejects.toThrow('no list')
})

test('the number of concurrent objects is limited', async () => {
  const [from, to] = [await filled(30), openMemoryStore()]
  let underWay = 0
  let most = 0
  const slow: ObjectStore = {
    ...to,
    async put(key, body) {
      most = Math.max(most, ++underWay)
      await new Promise((resolve) => setTimeout(resolve, 2))
      await to.put(key, body)
      underWay--
    },
  }
  expect(await copy(from, slow)).toMatchObject({ copied: 30 })
  expect(most).toBe(4)
})

const nothing: CopyProgress = { copied: 0, copiedBytes: 0, skipped: 0, vanished: 0, failed: 0 }

function copy(from: ObjectStore, to: ObjectStore, onFailure: (key: string, error: unknown) => void = unexpected) {
  return copyObjects(from, to, { concurrency: 4, onFailure })
}

function unexpected(key: string, error: unknown): never {
  throw new Error(`${key} failed`, { cause: error })
}

async function filled(count: number): Promise<ObjectStore> {
  const store = openMemoryStore()
  for (let number = 0; number < count; number++) {
    await store.put(`files/${number}`, Readable.from([Buffer.from(`content ${number}`)]))
  }
  return store
}

/** Compares hashes, because comparing large buffers byte by byte takes minutes. */
async function contentsOf(store: ObjectStore): Promise<Record<string, string>> {
  const contents: Record<string, string> = {}
  for await (const { key } of store.list('')) {
    const stream = await store.open(key)
    if (stream) contents[key] = hash('sha256', await buffer(stream))
  }
  return contents
}
