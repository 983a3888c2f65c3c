import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import sql, { raw } from 'sql-template-tag'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openWorkers, workerBeside } from '../../platform/worker-pool.ts'
import type { Database, Db } from '../db.ts'
import { openDatabase } from '../open.ts'
import type { CheckpointResult } from './wal-checkpointer.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'alcove-db-'))
})
afterEach(() => rm(folder, { recursive: true }))

const open = () => openDatabase({ kind: 'sqlite', file: join(folder, 'alcove.db') })

test('a database file can be opened once, and again after closing', async () => {
  const first = await open()
  await expect(open()).rejects.toThrow(/alcove\.db is in use by another process/)
  await first.close()
  const second = await open()
  await second.close()
})

test('a database file is locked by another process until that is killed', async () => {
  const program = `
    import { openDatabase } from '${new URL('../open.ts', import.meta.url)}'
    const db = await openDatabase({ kind: 'sqlite', file: process.argv[1] })
    console.log('open')
    setInterval(() => db, 1000)`
  const options = ['--import', 'tsx', '--input-type=module', '-e', program, join(folder, 'alcove.db')]
  const other = spawn(process.execPath, options, { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(other.stdout, 'data')
  await expect(open()).rejects.toThrow(/in use by another process/)
  other.kill('SIGKILL')
  await once(other, 'exit')
  const db = await open()
  await db.close()
})

test('commits are synced before they are acknowledged, concurrent ones by one sync', async () => {
  const db = await open()
  await db.run(sql`create table things (n integer)`)
  expect(await db.one(sql`pragma journal_mode`)).toEqual({ journalMode: 'wal' })
  const disk = holdDisk()
  try {
    const reported: number[] = []
    const insert = (n: number) => db.run(sql`insert into things values (${n})`).then(() => reported.push(n))
    const writes = [insert(1)]
    await disk.asked(1)
    writes.push(insert(2), insert(3))
    writes.push(db.transaction((tx) => tx.run(sql`insert into things values (4)`)).then(() => reported.push(4)))
    const provisional = await db.transaction((tx) => tx.run(sql`insert into things values (5)`), {
      isRelaxed: true,
    })
    expect([provisional, reported]).toEqual([1, []])
    // Readers already see the writes; only irreversible actions must wait.
    expect(await db.all(sql`select n from things order by n`)).toHaveLength(5)
    const settled = db.whenDurable().then(() => reported.push(0))
    disk.answer()
    await disk.asked(2)
    expect(reported).toEqual([1])
    disk.answer()
    await Promise.all([...writes, settled])
    expect([reported.sort(), disk.count()]).toEqual([[0, 1, 2, 3, 4], 2])

    const lost = insert(6)
    await disk.asked(3)
    disk.answer(new Error('the disk is gone'))
    await expect(lost).rejects.toMatchObject({ cause: { kind: 'unavailable', isOutcomeUnknown: true } })
    // Linux has dropped the pages, so the next sync would succeed. It must not be attempted.
    const refused = { cause: { kind: 'unavailable', what: 'the database' } }
    await expect(db.run(sql`insert into things values (7)`)).rejects.toMatchObject(refused)
    await expect(db.transaction(async () => 'read only')).rejects.toMatchObject(refused)
    await expect(db.whenDurable()).rejects.toMatchObject(refused)
    await expect(db.ready()).rejects.toMatchObject(refused)
    await expect(db.broken).resolves.toMatchObject({ message: 'the disk is gone' })
    expect(disk.count()).toBe(3)
    expect(await db.one(sql`select max(n) as n from things`)).toEqual({ n: 6 })
  } finally {
    disk.release()
  }
  const size = await sizeOf('alcove.db-wal')
  await db.close()
  // Closing did not copy pages into the database that may be missing on the disk.
  expect(await sizeOf('alcove.db-wal')).toBe(size)
  const again = await open()
  expect(await again.one(sql`select max(n) as n from things`)).toEqual({ n: 6 })
  await again.run(sql`insert into things values (8)`)
  await again.close()
})

test('commits that wait for a failed sync are not acknowledged', async () => {
  const db = await open()
  await db.run(sql`create table things (n integer)`)
  const disk = holdDisk()
  try {
    const insert = (n: number) => db.run(sql`insert into things values (${n})`).then(() => 'acknowledged')
    const first = insert(1)
    await disk.asked(1)
    const second = insert(2)
    disk.answer(new Error('the disk is gone'))
    await expect(first).rejects.toThrow('the disk is gone')
    await expect(second).rejects.toMatchObject({ cause: { kind: 'unavailable', isOutcomeUnknown: true } })
    expect(disk.count()).toBe(1)
  } finally {
    disk.release()
  }
  await db.close()
})

/** Opens a database, begins a write whose sync is held, and returns a function that starts a batched transaction. */
async function openDuringSync() {
  const db = await open()
  await db.run(sql`create table things (n integer)`)
  const disk = holdDisk()
  const first = db.run(sql`insert into things values (0)`)
  await disk.asked(1)
  const insert = (n: number, after = async (_tx: Db) => {}) => {
    const work = async (tx: Db) => {
      await tx.run(sql`insert into things values (${n})`)
      await after(tx)
    }
    return db.transaction(work, { isBatched: true }).then(
      () => `stored ${n}`,
      (error: Error) => error.message,
    )
  }
  const stored = async () => (await db.all<{ n: number }>(sql`select n from things order by n`)).map(({ n }) => n)
  return { db, disk, first, insert, stored }
}

test('batched transactions that arrive during a sync share a commit and the next sync', async () => {
  const { db, disk, first, insert, stored } = await openDuringSync()
  try {
    const fail = () => Promise.reject(new Error('refused'))
    const results = [insert(1), insert(2, fail), insert(3)]
    expect([await stored(), db.canExtendTransaction()]).toEqual([[0], false])
    const before = await sizeOf('alcove.db-wal')
    disk.answer()
    await disk.asked(2)
    expect([await stored(), db.canExtendTransaction()]).toEqual([[0, 1, 3], true])
    const frameBytes = 24 + 4096
    expect((await sizeOf('alcove.db-wal')) - before).toBe(frameBytes)
    disk.answer()
    expect(await Promise.all(results)).toEqual(['stored 1', 'refused', 'stored 3'])
    expect([await first, disk.count()]).toEqual([1, 2])
  } finally {
    disk.release()
  }
  await db.close()
})

test('more transactions than a batch holds are all committed', async () => {
  const { db, disk, insert, stored } = await openDuringSync()
  const numbers = Array.from({ length: 100 }, (_, index) => index + 1)
  const results = numbers.map((n) => insert(n))
  disk.release()
  disk.answer()
  expect(await Promise.all(results)).toEqual(numbers.map((n) => `stored ${n}`))
  expect(await stored()).toEqual([0, ...numbers])
  await db.close()
})

test('transactions that wait for a sync are committed before the database is closed', async () => {
  const { db, disk, insert } = await openDuringSync()
  const numbers = Array.from({ length: 100 }, (_, index) => index + 1)
  const results = numbers.map((n) => insert(n))
  const closed = db.close()
  disk.release()
  disk.answer()
  expect(await Promise.all(results)).toEqual(numbers.map((n) => `stored ${n}`))
  await closed
})

test('transactions beyond a batch do not wait for another sync', async () => {
  const { db, disk, insert, stored: rows } = await openDuringSync()
  let stored = 0
  try {
    for (let n = 1; n <= 100; n++) void insert(n).then(() => stored++)
    disk.answer()
    await disk.asked(2)
    await expect.poll(async () => (await rows()).length).toBe(101)
    disk.answer()
    await disk.asked(3)
    disk.answer()
    await expect.poll(() => stored).toBe(100)
  } finally {
    disk.release()
  }
  await db.close()
})

test('batched transactions are all rejected when one of them loses the transaction', async () => {
  const { db, disk, insert, stored } = await openDuringSync()
  // SQLite rolls back like this when the disk is full.
  const lose = async (tx: Db) => {
    await tx.run(sql`rollback`)
    throw new Error('the disk is full')
  }
  const results = [insert(1), insert(2, lose), insert(3)]
  disk.release()
  disk.answer()
  expect(await Promise.all(results)).toEqual(results.map(() => 'the disk is full'))
  expect([await stored(), await insert(4), await stored()]).toEqual([[0], 'stored 4', [0, 4]])
  await db.close()
})

test('batched transactions do not begin after a failed sync', async () => {
  const { db, disk, first, insert, stored } = await openDuringSync()
  try {
    const results = [insert(1), insert(2)]
    disk.answer(new Error('the disk is gone'))
    await expect(first).rejects.toThrow('the disk is gone')
    for (const message of await Promise.all(results)) expect(message).toContain('the disk is gone')
    expect([await stored(), disk.count()]).toEqual([[0], 1])
  } finally {
    disk.release()
  }
  await db.close()
})

test('writes are rejected after a checkpoint that could not sync the file', async () => {
  let checkpoints = 0
  const db = await openDatabase({
    kind: 'sqlite',
    file: join(folder, 'alcove.db'),
    async checkpoint() {
      checkpoints++
      return { isDone: false, code: 'SQLITE_IOERR_FSYNC', message: 'disk I/O error' }
    },
  })
  await db.run(sql`create table things (n integer primary key, text text)`)
  const before = await sizeOf('alcove.db')
  // The commit that starts a checkpoint may come before or after the failure.
  for (let n = 1; n <= 16 && checkpoints === 0; n++) await fill(db, n).catch(() => {})
  await expect(db.broken).resolves.toMatchObject({ message: 'disk I/O error' })
  await expect(fill(db, 99)).rejects.toMatchObject({ cause: { kind: 'unavailable', what: 'the database' } })
  expect([checkpoints, await sizeOf('alcove.db')]).toEqual([1, before])
  await db.close()
  const again = await open()
  expect(await again.one(sql`select max(n) as n from things where n < 99`)).not.toEqual({ n: null })
  await again.close()
})

test('a checkpoint stays on its thread while a transaction is open', async () => {
  let checkpoints = 0
  let begin = () => {}
  const begun = new Promise<void>((resolve) => (begin = resolve))
  const db = await openDatabase({
    kind: 'sqlite',
    file: join(folder, 'alcove.db'),
    async checkpoint() {
      checkpoints++
      await begun
      return { isDone: true, checkpointed: 0 }
    },
  })
  await db.run(sql`create table things (n integer primary key, text text)`)
  for (let n = 1; n <= 20; n++) await fill(db, n)
  await db.transaction(async (tx) => {
    await tx.run(sql`insert into things values (99, '')`)
    begin()
    await expect.poll(() => checkpoints).toBe(4)
  })
  await expect.poll(() => checkpoints).toBe(5)
  // A checkpoint on the main thread would have copied all frames.
  expect(await framesLeft(db)).toBeGreaterThan(4_000)
  await db.close()
})

test('a checkpoint returns how many frames of the log are in the database file', async () => {
  const file = join(folder, 'alcove.db')
  const db = await open()
  await db.run(sql`create table things (n integer primary key, text text)`)
  for (let n = 1; n <= 5; n++) await fill(db, n)
  const frames = await framesLeft(db)
  expect(frames).toBeGreaterThan(1_000)
  const workers = openWorkers<string, CheckpointResult>(workerBeside(import.meta.url, './checkpoint-worker'), {
    maxThreads: 1,
    idleMs: 1_000,
    maxWaiting: 1,
    maxHeapMib: 32,
  })
  expect(await workers.run(file)).toEqual({ isDone: true, checkpointed: frames })
  expect(await framesLeft(db)).toBe(0)
  await workers.close()
  await db.close()
})

/** Blocks every sync until it is released. */
function holdDisk() {
  const real = fs.fdatasync
  const waiting: ((error: Error | null) => void)[] = []
  let count = 0
  const held = (_handle: number, done: (error: Error | null) => void) => {
    count++
    waiting.push(done)
  }
  fs.fdatasync = held as typeof fs.fdatasync
  syncBuiltinESMExports()
  return {
    count: () => count,
    answer: (error: Error | null = null) => waiting.shift()?.(error),
    async asked(times: number) {
      while (count < times) await setTimeout(1)
    },
    release() {
      fs.fdatasync = real
      syncBuiltinESMExports()
    },
  }
}

test('a large WAL is checkpointed during writes and restarts', async () => {
  const db = await open()
  await db.run(sql`create table things (n integer primary key, text text)`)
  let most = 0
  for (let n = 1; n <= 150; n++) {
    await fill(db, n)
    most = Math.max(most, await sizeOf('alcove.db-wal'))
  }
  expect(most).toBeLessThan(80 * mebibyte)
  await expect.poll(() => framesLeft(db)).toBeLessThan(4_000)
  expect(await sizeOf('alcove.db')).toBeGreaterThan(20 * mebibyte)
  await db.close()
  const again = await open()
  expect(await again.one(sql`select count(*) as count from things`)).toEqual({ count: 150 })
  await again.close()
})

test('the WAL is checkpointed even when no thread can open the file', async () => {
  const db = await open()
  await db.run(sql`create table things (n integer primary key, text text)`)
  await rename(join(folder, 'alcove.db'), join(folder, 'moved.db'))
  for (let n = 1; n <= 20; n++) await fill(db, n)
  await expect.poll(() => sizeOf('moved.db')).toBeGreaterThan(10 * mebibyte)
  expect(await db.one(sql`select count(*) as count from things`)).toEqual({ count: 20 })
  await db.close()
})

const mebibyte = 1024 * 1024
const sizeOf = async (name: string) => (await stat(join(folder, name))).size

const fill = (db: Database, n: number) => db.run(sql`insert into things values (${n}, ${'x'.repeat(mebibyte)})`)

async function framesLeft(db: Database): Promise<number> {
  const found = await db.one<{ log: number; checkpointed: number }>(sql`pragma wal_checkpoint(noop)`)
  return found ? found.log - found.checkpointed : 0
}

test('a write that fails at its commit rejects, even when it returns a row', async () => {
  const db = await open()
  await db.run(sql`create table owners (id integer primary key)`)
  await db.run(sql`create table things (owner integer references owners(id) deferrable initially deferred)`)
  await expect(db.one(sql`insert into things values (7) returning owner`)).rejects.toThrow(/FOREIGN KEY/)
  expect(await db.all(sql`select owner from things`)).toEqual([])
  await db.close()
})

test('integers are stored as integers in every column', async () => {
  const db = await open()
  await db.run(sql`create table things (a text, b blob, c numeric)`)
  await db.run(sql`insert into things values (${7}, ${7}, ${7})`)
  expect(await db.one(sql`select a, typeof(b) as b, typeof(c) as c from things`)).toEqual({
    a: '7',
    b: 'integer',
    c: 'integer',
  })
  await db.close()
})

test('more statements than the cache of prepared statements holds can run', async () => {
  const db = await open()
  for (let n = 0; n < 1200; n++) expect(await db.one(sql`select ${raw(`${n}`)} as n`)).toEqual({ n })
  await db.close()
})
