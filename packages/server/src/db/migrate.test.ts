import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sql, { raw } from 'sql-template-tag'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createTestDatabase, type PostgresServer, startPostgres } from '../testing/databases/postgres.ts'
import type { Database } from './db.ts'
import { type Migration, migrate, pendingMigrations } from './migrate.ts'
import { openDatabase } from './open.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

const step = (name: string, script: string): Migration => ({ name, up: () => script })
const first = step('0001_first', `create table a (id integer primary key); insert into a values (1); -- done;`)
const second = step('0002_second', 'alter table a add column name text; create table b (a_id integer references a(id))')
const third = step('0003_third', 'create table c (id integer)')

describe.each(['sqlite', 'postgres'] as const)('%s', (engine) => {
  let db: Database
  let others: Database[]
  let open: () => Promise<Database>
  let remove: () => Promise<void>
  beforeEach(async () => {
    if (engine === 'sqlite') {
      const folder = await mkdtemp(join(tmpdir(), 'alcove-db-'))
      open = () => openDatabase({ kind: 'sqlite', file: join(folder, 'alcove.db') })
      remove = () => rm(folder, { recursive: true })
    } else {
      const { url, drop } = await createTestDatabase(server)
      open = () => openDatabase({ kind: 'postgres', url })
      remove = drop
    }
    db = await open()
    others = []
  })
  afterEach(async () => {
    for (const one of [db, ...others]) await one.close()
    await remove()
  })

  const names = (migrations: Migration[]) => migrations.map(({ name }) => name)

  test('runs each migration once', async () => {
    expect(names(await pendingMigrations(db, [first, second]))).toEqual(['0001_first', '0002_second'])
    expect(await migrate(db, [first])).toEqual(['0001_first'])
    expect(await db.all(sql`select * from a`)).toEqual([{ id: 1 }])
    expect(await migrate(db, [first, second])).toEqual(['0002_second'])
    expect(await migrate(db, [first, second])).toEqual([])
    expect(await pendingMigrations(db, [first, second])).toEqual([])
    // The same text as before has one column more.
    expect(await db.all(sql`select * from a`)).toEqual([{ id: 1, name: null }])
    expect(await db.all(sql`select name from schema_migrations order by name`)).toHaveLength(2)
  })

  test('runs each migration once from several concurrent processes', async () => {
    if (engine === 'postgres') others = await Promise.all([open(), open(), open()])
    const applied = await Promise.all([db, ...others, db].map((one) => migrate(one, [first, second, third])))
    expect(applied.flat().sort()).toEqual(['0001_first', '0002_second', '0003_third'])
  })

  test('rolls back a failed migration and keeps the ones before it', async () => {
    const broken = step('0002_broken', 'create table half (id integer); insert into nothing values (1)')
    await expect(migrate(db, [first, broken, third])).rejects.toThrow(/nothing/)
    await expect(db.all(sql`select * from half`)).rejects.toThrow(/half/)
    expect(names(await pendingMigrations(db, [first, second]))).toEqual(['0002_second'])
  })

  test('rejects a database with unknown, missing or reordered migrations', async () => {
    await migrate(db, [first, third])
    await expect(migrate(db, [first])).rejects.toThrow(/does not know \(0003_third\): it was used by a newer version/)
    await expect(migrate(db, [first, second, third])).rejects.toThrow(/0002_second is missing from the database/)
    await expect(migrate(db, [third, first])).rejects.toThrow(/0001_first stands after 0003_third/)
  })

  test('lets a migration replace others in a database without them', async () => {
    const squashed = {
      ...step('0001_squashed', 'create table a (id integer primary key, name text)'),
      replaces: [first, second],
    }
    await migrate(db, [first])
    expect(await migrate(db, [squashed, third])).toEqual(['0002_second', '0003_third'])
    expect(await pendingMigrations(db, [squashed, third])).toEqual([])
    await expect(migrate(db, [squashed])).rejects.toThrow(/does not know \(0003_third\)/)

    await db.run(sql`drop table schema_migrations`)
    for (const table of ['b', 'a', 'c']) await db.run(sql`drop table ${raw(table)}`)
    expect(await migrate(db, [squashed, third])).toEqual(['0001_squashed', '0003_third'])
    expect(await migrate(db, [squashed, third])).toEqual([])
  })

  test('applies new foreign keys to table versions at once', async () => {
    await migrate(db, [first])
    const cascade = 'create table kept (a_id integer references a(id) on delete cascade)'
    await migrate(db, [first, step('0002_kept', cascade)])
    const before = db.changes.version(['kept'])
    await db.run(sql`delete from a`)
    expect(db.changes.version(['kept'])).not.toBe(before)
  })
})
