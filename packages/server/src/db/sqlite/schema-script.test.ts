import { appendFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import sql, { raw } from 'sql-template-tag'
import { expect, onTestFinished, test } from 'vitest'
import type { Db } from '../db.ts'
import { type Migration, migrate, pendingMigrations } from '../migrate.ts'
import { migrations } from '../migrations/all.ts'
import { openDatabase } from '../open.ts'
import { schemaScriptOf } from './schema-script.ts'
import { readStoredSchema, storeSchema } from './stored-schema.ts'

async function openEmpty() {
  const folder = await mkdtemp(join(tmpdir(), 'alcove-schema-'))
  const db = await openDatabase({ kind: 'sqlite', file: join(folder, 'alcove.sqlite3') })
  onTestFinished(async () => {
    await db.close()
    await rm(folder, { recursive: true })
  })
  return db
}

/** Schema and rows of a database, without the times of its migrations and the internal tables of search indexes. */
async function contentOf(db: Db) {
  const schema = await db.all<{ type: string; name: string; sql: string }>(
    sql`select type, name, tbl_name, sql from sqlite_master order by type, name`,
  )
  const tables = await db.all<{ name: string }>(
    sql`select name from pragma_table_list
      where schema = 'main' and type = 'table' and name not in ('schema_migrations', 'sqlite_schema')`,
  )
  const rows: Record<string, unknown> = {}
  for (const { name } of tables) rows[name] = await db.all(sql`select * from ${raw(`"${name}"`)} order by 1`)
  const indexes = await db.all(
    sql`select name from sqlite_master where type = 'index' and sql is not null order by rowid`,
  )
  return { schema, rows, indexes }
}

/** Throws if a search index does not have the rows of its table. */
async function checkSearchIndexes(db: Db) {
  const indexes = await db.all<{ name: string }>(sql`select name from pragma_table_list where type = 'virtual'`)
  for (const { name } of indexes) {
    await db.run(sql`insert into ${raw(name)} (${raw(name)}, rank) values ('integrity-check', 1)`)
  }
  return indexes.length
}

test('a database that is created by the script has the schema and the rows that migrations create', async () => {
  const [migrated, created, other] = [await openEmpty(), await openEmpty(), await openEmpty()]
  await migrate(migrated, migrations)
  const script = await schemaScriptOf(migrated)
  // No value differs between installations.
  await migrate(other, migrations)
  expect(withoutTimes(await schemaScriptOf(other))).toEqual(withoutTimes(script))

  const names = migrations.map(({ name }) => name)
  expect(await migrate(created, migrations, () => script)).toEqual(names)
  expect(await contentOf(created)).toEqual(await contentOf(migrated))
  expect(await checkSearchIndexes(created)).toBeGreaterThan(5)
  expect(await pendingMigrations(created, migrations)).toEqual([])
  // A second start finds nothing to do.
  expect(await migrate(created, migrations, () => script)).toEqual([])
  expect(await created.one(sql`select max(id) as id from organizations`)).toEqual({ id: 1 })
})

const withoutTimes = (script: string) => script.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'a time')

test('the search indexes of a created database have the rows that migrations insert', async () => {
  const [migrated, created] = [await openEmpty(), await openEmpty()]
  const seeding: Migration = {
    name: '9999_seeded',
    up: () => `insert into topics (name, name_key, title, title_key, created_at, updated_at, organization_id)
      values ('seeded', 'seeded', 'Seeded', 'seeded', '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', 1)`,
  }
  const all = [...migrations, seeding]
  await migrate(migrated, all)
  const script = await schemaScriptOf(migrated)
  await migrate(created, all, () => script)
  await checkSearchIndexes(created)
  const found = await created.all(sql`select title from topics_search where topics_search match 'seeded'`)
  expect(found).toEqual([{ title: 'Seeded' }])
})

test('a database of another program is not created from the script', async () => {
  const db = await openEmpty()
  await db.run(sql`create table notes (id integer primary key autoincrement, text text)`)
  await db.run(sql`insert into notes (text) values ('first')`)
  await migrate(db, migrations, () => 'this is not SQL')
  expect(await db.one(sql`select seq from sqlite_sequence where name = 'notes'`)).toEqual({ seq: 1 })
})

test('a stored schema is used only undamaged and with its own migrations', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'alcove-schema-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const url = pathToFileURL(`${folder}/`).href
  expect(readStoredSchema(migrations, url)).toBeUndefined()
  storeSchema(folder, migrations, 'create table a (id integer);\n')
  expect(readStoredSchema(migrations, url)).toBe('create table a (id integer);\n')
  expect(readStoredSchema(migrations.slice(1), url)).toBeUndefined()
  await appendFile(join(folder, 'schema.sql'), 'create table b (id integer);\n')
  expect(readStoredSchema(migrations, url)).toBeUndefined()
})

test('a database with migrations is not created again', async () => {
  const db = await openEmpty()
  const [first, ...others] = migrations
  if (!first) throw new Error('there is no migration')
  await migrate(db, [first])
  expect(await migrate(db, migrations, () => 'this is not SQL')).toEqual(others.map(({ name }) => name))
})

test('a script that fails changes nothing', async () => {
  const db = await openEmpty()
  const broken = () => 'create table made (id integer); this is not SQL'
  await expect(migrate(db, migrations, broken)).rejects.toThrow('syntax')
  expect(await db.all(sql`select name from sqlite_master`)).toEqual([])
})
