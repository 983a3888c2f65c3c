import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { betterSqlite3 } from './better-sqlite3.ts'
import type { SqliteConnection } from './connection.ts'
import { codeName, type NodeSqlite, nodeSqlite } from './node-sqlite.ts'

const module = process.getBuiltinModule('node:sqlite') as NodeSqlite | undefined // absent from Node 20
const drivers = {
  ...(isBuilt() && { 'better-sqlite3': betterSqlite3(Sqlite) }),
  ...(module && { 'node:sqlite': nodeSqlite(module) }),
}

const opened: SqliteConnection[] = []
afterEach(() => {
  for (const connection of opened.splice(0)) connection.close()
})

describe.each(Object.entries(drivers))('%s', (_, connect) => {
  function open(file = ':memory:', options: { readonly?: boolean } = {}): SqliteConnection {
    const connection = connect(file, { timeoutMs: 0, ...options })
    opened.push(connection)
    return connection
  }

  function withTable(file?: string): SqliteConnection {
    const connection = open(file)
    connection.exec('create table things (id integer primary key, name text not null unique, is_new boolean)')
    connection.prepare("insert into things (name, is_new) values ('lamp', 1), ('chair', 0)").run([])
    return connection
  }

  test('returns rows as arrays, and the names and declared types of columns', () => {
    const statement = withTable().prepare('select id, name, is_new, id + 1 as next from things order by id')
    expect(statement.columns).toEqual([
      { name: 'id', type: expect.stringMatching(/^integer$/i) },
      { name: 'name', type: expect.stringMatching(/^text$/i) },
      { name: 'is_new', type: expect.stringMatching(/^boolean$/i) },
      { name: 'next', type: null },
    ])
    expect(statement.all([])).toEqual([
      [1, 'lamp', 1, 2],
      [2, 'chair', 0, 3],
    ])
    expect(statement.first([])).toEqual([1, 'lamp', 1, 2])
  })

  test.each([
    ['select * from things', true],
    ['with named as (select name from things) select count(*) from named', true],
    ['explain query plan select * from things', true],
    ['pragma table_info(things)', true],
    ["insert into things (name) values ('table')", false],
    ["insert into things (name) values ('table') returning id", false],
    ['with old as (select 1 as id) delete from things where id in (select id from old)', false],
    ['update things set name = name where false', false],
    ['create table other (id integer)', false],
    ['pragma wal_checkpoint(truncate)', false],
  ])('%s is read-only: %s', (sql, isReadonly) => {
    expect(withTable().prepare(sql).isReadonly).toBe(isReadonly)
  })

  test('returns the number of changed rows', () => {
    const connection = withTable()
    expect(connection.prepare('update things set is_new = ?').run([1n])).toBe(2)
    expect(connection.prepare('delete from things where id = ?').run([7n])).toBe(0)
  })

  test('stores integers, floats, texts, bytes and null as they are', () => {
    const connection = open()
    const types = connection.prepare('select typeof(?), typeof(?), typeof(?), typeof(?), typeof(?)')
    expect(types.first([1n, 1.5, 'a', Buffer.from('a'), null])).toEqual(['integer', 'real', 'text', 'blob', 'null'])
    const large = Number.MAX_SAFE_INTEGER
    expect(connection.prepare('select ?').first([BigInt(large)])).toEqual([large])
  })

  test.each([
    ["insert into things (name) values ('lamp')", 'SQLITE_CONSTRAINT_UNIQUE'],
    ["insert into things (id, name) values (1, 'new')", 'SQLITE_CONSTRAINT_PRIMARYKEY'],
    ['insert into things (name) values (null)', 'SQLITE_CONSTRAINT_NOTNULL'],
    ['select * from nothing', 'SQLITE_ERROR'],
  ])('%s fails with the code %s', (sql, code) => {
    const connection = withTable()
    expect(() => connection.prepare(sql).run([])).toThrow(expect.objectContaining({ code }))
  })

  test('fails with SQLITE_BUSY while another connection writes, and rolls back', async () => {
    const file = join(await temporaryFolder(), 'things.sqlite3')
    const [first, second] = [withTable(file), open(file)]
    first.exec('begin immediate')
    expect(first.isInTransaction).toBe(true)
    expect(() => second.exec('begin immediate')).toThrow(expect.objectContaining({ code: 'SQLITE_BUSY' }))
    first.exec('rollback')
    expect(first.isInTransaction).toBe(false)
  })

  test('refuses to write on a read-only connection and to create a file for it', async () => {
    const folder = await temporaryFolder()
    withTable(join(folder, 'things.sqlite3'))
    const reader = open(join(folder, 'things.sqlite3'), { readonly: true })
    expect(() => reader.exec('delete from things')).toThrow(expect.objectContaining({ code: 'SQLITE_READONLY' }))
    expect(() => open(join(folder, 'missing.sqlite3'), { readonly: true })).toThrow('unable to open database file')
  })

  test('calls functions, and reads and sets pragmas', () => {
    const connection = withTable()
    connection.addFunction('reversed', (text) => [...`${text}`].reverse().join(''))
    expect(connection.prepare('select reversed(name) from things where id = 1').first([])).toEqual(['pmal'])
    expect(connection.pragma('cache_size = -4000')).toEqual([])
    expect(connection.pragma('cache_size')).toEqual([-4000])
  })
})

test('codeName names result codes like better-sqlite3, or their class', () => {
  expect([11, 14, 26, 1034, 2067].map(codeName)).toEqual([
    'SQLITE_CORRUPT',
    'SQLITE_CANTOPEN',
    'SQLITE_NOTADB',
    'SQLITE_IOERR_FSYNC',
    'SQLITE_CONSTRAINT_UNIQUE',
  ])
  expect(codeName(267)).toBe('SQLITE_CORRUPT')
})

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'alcove-driver-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Returns false on a release of Node that better-sqlite3 was not installed for. */
function isBuilt(): boolean {
  try {
    new Sqlite(':memory:').close()
    return true
  } catch {
    return false
  }
}
