import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sql, { raw } from 'sql-template-tag'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDatabase } from './open.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'alcove-db-'))
})
afterEach(() => rm(folder, { recursive: true }))

const open = () => openDatabase({ kind: 'sqlite', file: join(folder, 'alcove.db') })

test('a file is open once, and free again after closing', async () => {
  const first = await open()
  await expect(open()).rejects.toThrow(/alcove\.db is in use by another process/)
  await first.close()
  const second = await open()
  await second.close()
})

test('another process keeps us out until it is killed', async () => {
  const program = `
    import { openDatabase } from '${new URL('./open.ts', import.meta.url)}'
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

test('commits are on disk before they are reported', async () => {
  const db = await open()
  await db.run(sql`create table things (n integer)`)
  await db.run(sql`insert into things values (1)`)
  expect(await db.one(sql`pragma journal_mode`)).toEqual({ journal_mode: 'wal' })
  await db.transaction(async (tx) => {
    expect(await tx.one(sql`pragma synchronous`)).toEqual({ synchronous: 2 })
    expect(await tx.one(sql`pragma foreign_keys`)).toEqual({ foreign_keys: 1 })
  })
  await db.close()
  const again = await open()
  expect(await again.one(sql`select n from things`)).toEqual({ n: 1 })
  await again.close()
})

test('a write that fails at its commit says so, also when it returns a row', async () => {
  const db = await open()
  await db.run(sql`create table owners (id integer primary key)`)
  await db.run(sql`create table things (owner integer references owners(id) deferrable initially deferred)`)
  await expect(db.one(sql`insert into things values (7) returning owner`)).rejects.toThrow(/FOREIGN KEY/)
  expect(await db.all(sql`select owner from things`)).toEqual([])
  await db.close()
})

test('whole numbers are stored as integers in every column', async () => {
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

test('more texts than are kept prepared', async () => {
  const db = await open()
  for (let n = 0; n < 1200; n++) expect(await db.one(sql`select ${raw(`${n}`)} as n`)).toEqual({ n })
  await db.close()
})
