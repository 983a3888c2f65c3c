import fs from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, readlink, rm, utimes, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterAll, expect, test } from 'vitest'
import { openDiskStore } from './disk.ts'
import { openMemoryStore } from './memory.ts'
import { describeObjectStore } from './objects.conformance.ts'

const folders: string[] = []
async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'alcove-objects-'))
  folders.push(folder)
  return folder
}
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))))

describeObjectStore('memory', async () => openMemoryStore())
describeObjectStore('disk', async () => openDiskStore(await newFolder()))

test('objects on disk are kept when the folder is opened again', async () => {
  const folder = await newFolder()
  const first = await openDiskStore(folder)
  await first.put('a/b', Readable.from([Buffer.from('kept')]))

  const second = await openDiskStore(folder)
  expect(await buffer((await second.open('a/b')) ?? Readable.from([]))).toEqual(Buffer.from('kept'))
})

const halfHourMs = 30 * 60 * 1000

async function writeHalves(folder: string): Promise<void> {
  await mkdir(join(folder, 'tmp'), { recursive: true })
  for (const [name, age] of Object.entries({ 'of-now': 0, 'of-half-an-hour': 1, 'of-an-hour-and-a-half': 3 })) {
    const time = new Date(Date.now() - age * halfHourMs)
    await writeFile(join(folder, 'tmp', name), 'half')
    await utimes(join(folder, 'tmp', name), time, time)
  }
}

test('opening removes old temporary files, and none that another process may be writing', async () => {
  const folder = await newFolder()
  await writeHalves(folder)

  await openDiskStore(folder)
  expect((await readdir(join(folder, 'tmp'))).sort()).toEqual(['of-half-an-hour', 'of-now'])
})

test('removeUnfinished removes temporary files by age', async () => {
  const folder = await newFolder()
  const store = await openDiskStore(folder)
  await writeHalves(folder)

  expect(await store.removeUnfinished('any/', new Date(Date.now() - 2 * halfHourMs))).toBe(1)
  expect(await store.removeUnfinished('any/', new Date(Date.now() - halfHourMs / 2))).toBe(1)
  expect(await readdir(join(folder, 'tmp'))).toEqual(['of-now'])
})

test('a disk error rejects and leaves no file', async () => {
  const folder = await newFolder()
  const store = await openDiskStore(folder)
  await rm(join(folder, 'objects'), { recursive: true })
  await expect(store.put('a', Readable.from([Buffer.from('x')]))).rejects.toThrow(/unavailable.*ENOENT/)
  expect(await readdir(join(folder, 'tmp'))).toEqual([])

  await rm(join(folder, 'tmp'), { recursive: true })
  const body = Readable.from([Buffer.from('x')])
  await expect(store.put('a', body)).rejects.toThrow('ENOENT')
  expect(body.destroyed).toBe(true)
  await expect(store.ready()).rejects.toThrow('ENOENT')
})

test.runIf(process.getuid?.() !== 0)('a folder without write permission is not ready', async () => {
  const folder = await newFolder()
  const store = await openDiskStore(folder)
  await chmod(join(folder, 'tmp'), 0o500)
  await expect(store.ready()).rejects.toThrow('EACCES')
  await chmod(join(folder, 'tmp'), 0o700)
})

test('no file descriptor stays open after puts, failures, and streams that were read or abandoned', async () => {
  const folder = await newFolder()
  const store = await openDiskStore(folder)
  await store.put('a', Readable.from([Buffer.alloc(1_000_000)]))
  await expect(
    store.put(
      'b',
      new Readable({
        read() {
          this.destroy(new Error('no'))
        },
      }),
    ),
  ).rejects.toThrow('no')
  for await (const _ of (await store.open('a')) ?? []) break
  await buffer((await store.open('a')) ?? Readable.from([]))
  const givenUp = await store.open('a')
  givenUp?.destroy()
  await new Promise((resolve) => givenUp?.once('close', resolve))

  expect(await openDescriptors(folder)).toEqual([])
})

test.each([
  ['fdatasync', 'fsync'],
  ['fsync', 'fdatasync'],
] as const)('a small file is rejected and removed when %s fails, after %s has ended', async (failing, other) => {
  const folder = await newFolder()
  const store = await openDiskStore(folder)
  const real = { fdatasync: fs.fdatasync, fsync: fs.fsync }
  const failure = Object.assign(new Error('i/o error'), { code: 'EIO' })
  let isSettled = false
  let endOther = () => {}
  const isHeld = new Promise<void>((resolve) => {
    const hold = (_file: number, done: fs.NoParamCallback) => {
      endOther = () => done(null)
      resolve()
    }
    const fail = (_file: number, done: fs.NoParamCallback) => void setImmediate(() => done(failure))
    Object.assign(fs, { [failing]: fail, [other]: hold })
    syncBuiltinESMExports()
  })
  try {
    const outcome = store.put('a', Readable.from([Buffer.from('x')])).finally(() => {
      isSettled = true
    })
    outcome.catch(() => {})
    await isHeld
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
    expect(isSettled).toBe(false)
    endOther()
    await expect(outcome).rejects.toThrow(/unavailable.*i\/o error/)
  } finally {
    Object.assign(fs, real)
    syncBuiltinESMExports()
  }
  expect([await store.open('a'), await openDescriptors(folder)]).toEqual([undefined, []])
})

/** Skipped on systems that do not provide this information. */
async function openDescriptors(folder: string): Promise<string[]> {
  const descriptors = await readdir('/proc/self/fd').catch(() => [])
  const targets = await Promise.all(descriptors.map((number) => readlink(`/proc/self/fd/${number}`).catch(() => '')))
  return targets.filter((target) => target.startsWith(folder))
}
