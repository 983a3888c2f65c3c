import { copyFile, mkdtemp, open as openFile, readFile, rm, stat, truncate, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sql from 'sql-template-tag'
import { expect, onTestFinished, test } from 'vitest'
import type { Database } from './db.ts'
import { openDatabase } from './open.ts'
import { connectSqlite } from './sqlite/drivers.ts'

const frameBytes = 24 + 4096

test('a WAL damaged after acknowledged commits is rejected, and not changed', async () => {
  const crashed = await crashedDatabase()
  await damage(crashed.log, 32 + 5 * frameBytes + 100)
  const before = await readFile(crashed.log)

  await expect(crashed.open()).rejects.toThrow(/the log .*alcove\.db-wal is damaged: it can be read up to frame \d+/)
  await expect(crashed.open()).rejects.toThrow('alcove doctor --accept-loss')
  expect((await readFile(crashed.log)).equals(before)).toBe(true)
})

test.each([
  ['that was cut off', (log: string) => truncate(log, 32 + 4 * frameBytes)],
  ['whose beginning is damaged', (log: string) => damage(log, 4)],
  ['that is empty', (log: string) => truncate(log, 0)],
  ['that is missing', (log: string) => unlink(log)],
])('a WAL %s is rejected', async (_, change) => {
  const crashed = await crashedDatabase()
  await change(crashed.log)

  await expect(crashed.open()).rejects.toThrow(/is damaged: .* frames were on the disk/)
})

test('acceptLoss opens the database without the damaged part, and keeps a copy of the WAL', async () => {
  const crashed = await crashedDatabase()
  await damage(crashed.log, 32 + 5 * frameBytes + 100)
  const damaged = await readFile(crashed.log)

  const accepted = await crashed.open({ acceptLoss: true })
  expect((await accepted.all(sql`select n from things`)).length).toBeLessThan(20)
  await accepted.run(sql`insert into things values (100, 'after the loss')`)
  await accepted.close()

  expect((await readFile(`${crashed.log}.damaged`)).equals(damaged)).toBe(true)
  const again = await crashed.open()
  expect(await again.one(sql`select max(n) as n from things`)).toEqual({ n: 100 })
  await again.close()
})

test('an intact WAL is recovered after a crash, with or without a recorded position', async () => {
  for (const lose of [
    async () => {},
    (position: string) => rm(position),
    (position: string) => truncate(position, 20),
    (position: string) => damage(position, 30),
  ]) {
    const crashed = await crashedDatabase()
    await lose(crashed.position)
    const db = await crashed.open()
    expect(await db.one(sql`select count(*) as count from things`)).toEqual({ count: 20 })
    await db.close()
  }
})

test('an unacknowledged tail of the WAL may be incomplete', async () => {
  const crashed = await crashedDatabase()
  const { size } = await stat(crashed.log)
  const log = await openFile(crashed.log, 'a')
  await log.write(Buffer.alloc(frameBytes - 7, 'half a frame'))
  await log.close()

  const db = await crashed.open()
  expect(await db.one(sql`select count(*) as count from things`)).toEqual({ count: 20 })
  await db.close()
  expect(size % frameBytes).toBe(32)
})

test('the recorded position of an earlier WAL does not reject a later one', async () => {
  const crashed = await crashedDatabase()
  const record = await readFile(crashed.position)
  const db = await crashed.open()
  // Once the log was copied completely, the next commit restarts it.
  await db.all(sql`pragma wal_checkpoint(restart)`)
  await db.run(sql`insert into things values (21, 'in the new log')`)
  const later = await snapshotOf(crashed.file)
  await db.close()
  await writeFile(later.position, record)

  const again = await later.open()
  expect(await again.one(sql`select count(*) as count from things`)).toEqual({ count: 21 })
  await again.close()
})

test('another program may have checkpointed the WAL', async () => {
  const crashed = await crashedDatabase()
  const other = connectSqlite(crashed.file, { timeoutMs: 5_000 })
  expect(other.prepare('select count(*) from things').first([])).toEqual([20])
  other.close()
  await expect(stat(crashed.log)).rejects.toThrow('ENOENT')

  const db = await crashed.open()
  expect(await db.one(sql`select count(*) as count from things`)).toEqual({ count: 20 })
  await db.close()
})

test('a database is opened after a clean stop', async () => {
  const crashed = await crashedDatabase()
  const db = await crashed.open()
  await db.run(sql`insert into things values (21, 'before the stop')`)
  await db.check()
  await db.close()
  expect(await readFile(crashed.position, 'utf8')).toMatch(/^alcove-position closed /)

  const again = await crashed.open()
  expect(await again.one(sql`select count(*) as count from things`)).toEqual({ count: 21 })
  await again.close()
})

test('check finds a damaged page', async () => {
  const crashed = await crashedDatabase()
  const db = await crashed.open()
  expect(await db.check()).toEqual([])
  expect(await db.check({ isThorough: true })).toEqual([])
  await db.close()
  const { size } = await stat(crashed.file)
  await damage(crashed.file, size - 4096)

  const damaged = await crashed.open()
  expect(await damaged.check()).not.toEqual([])
  await damaged.close()
})

test('a database that SQLite finds malformed rejects reads and readiness', async () => {
  const crashed = await crashedDatabase()
  const db = await crashed.open()
  await db.close()
  await damage(crashed.file, 4096)
  const malformed = await crashed.open()

  await expect(malformed.all(sql`select * from things`)).rejects.toMatchObject({ cause: { kind: 'unavailable' } })
  await expect(malformed.ready()).rejects.toMatchObject({ cause: { kind: 'unavailable' } })
  await expect(malformed.broken).resolves.toMatchObject({ message: expect.stringContaining('malformed') })
  await malformed.close()
})

/** Simulates a killed process that leaves twenty acknowledged commits in the log, and a record of all of them. */
async function crashedDatabase() {
  const file = join(await newFolder(), 'alcove.db')
  const db = await openDatabase({ kind: 'sqlite', file })
  await db.run(sql`create table things (n integer primary key, text text)`)
  for (let n = 1; n <= 20; n++) await db.run(sql`insert into things values (${n}, ${'x'.repeat(3000)})`)
  await recorded(db, file)
  const snapshot = await snapshotOf(file)
  await db.close()
  return snapshot
}

/** Waits for the record, which commits do not wait for. */
async function recorded(db: Database, file: string): Promise<void> {
  const found = await db.one<{ log: number }>(sql`pragma wal_checkpoint(noop)`)
  await expect.poll(() => readFile(`${file}.position`, 'utf8')).toMatch(new RegExp(`^\\S+ \\d+ \\d+ ${found?.log} `))
}

async function snapshotOf(source: string) {
  const file = join(await newFolder(), 'alcove.db')
  for (const ending of ['', '-wal', '.position']) await copyFile(source + ending, file + ending)
  return {
    file,
    log: `${file}-wal`,
    position: `${file}.position`,
    open: (options: { acceptLoss?: boolean } = {}) => openDatabase({ kind: 'sqlite', file, ...options }),
  }
}

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'alcove-log-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function damage(path: string, position: number): Promise<void> {
  const file = await openFile(path, 'r+')
  await file.write(Buffer.from('sixteen bad byte'), 0, 16, position)
  await file.close()
}
