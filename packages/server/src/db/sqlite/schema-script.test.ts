import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sql, { raw } from 'sql-template-tag'
import { expect, onTestFinished, test } from 'vitest'
import type { Db } from '../db.ts'
import { migrate, pendingMigrations } from '../migrate.ts'
import { migrations } from '../migrations/all.ts'
import { openDatabase } from '../open.ts'
import { schemaScriptOf } from './schema-script.ts'

async function openEmpty() {
  const folder = await mkdtemp(join(tmpdir(), 'alcove-schema-'))
  const db = await openDatabase({ kind: 'sqlite', file: join(folder, 'alcove.sqlite3') })
  onTestFinished(async () => {
    await db.close()
    await rm(folder, { recursive: true })
  })
  return db
}

/** Schema and rows of a database, without the times of its migrations. */
async function contentOf(db: Db) {
  const schema = await db.all<{ type: string; name: string; sql: string }>(
    sql`select type, name, tbl_name, sql from sqlite_master order by type, name`,
  )
  // The internal tables of search indexes follow from the indexed rows.
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

test('a database that is created by the script has the schema and the rows that migrations create', async () => {
  const [migrated, created] = [await openEmpty(), await openEmpty()]
  await migrate(migrated, migrations)
  const script = await schemaScriptOf(migrated)

  const names = migrations.map(({ name }) => name)
  expect(await migrate(created, migrations, () => script)).toEqual(names)
  expect(await contentOf(created)).toEqual(await contentOf(migrated))
  expect(await pendingMigrations(created, migrations)).toEqual([])
  // A second start finds nothing to do.
  expect(await migrate(created, migrations, () => script)).toEqual([])
  expect(await created.one(sql`select max(id) as id from organizations`)).toEqual({ id: 1 })
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
