import sql from 'sql-template-tag'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createTestDatabase, type PostgresServer, startPostgres } from '../testing/databases/postgres.ts'
import type { Database } from './db.ts'
import { withScripts } from './engine.ts'
import { openDatabase } from './open.ts'
import { beginSchemaRestore } from './set-aside.ts'
import { dropSchemaRecord } from './unfinished-restore.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

const namesOf = async (db: Database, kind: 'tables' | 'schemas' | 'extensions') => {
  const queries = {
    tables: sql`select relname::text as name from pg_class
      where relkind = 'r' and relnamespace = current_schema()::regnamespace and relname <> 'recent_commits'`,
    schemas: sql`select nspname::text as name from pg_namespace where nspname like 'aside%'`,
    extensions: sql`select extname::text as name from pg_extension
      where extnamespace = current_schema()::regnamespace`,
  }
  return (await db.all<{ name: string }>(queries[kind])).map(({ name }) => name).sort()
}

test('an unfinished restore on PostgreSQL continues in tables that fit, and removes others', async () => {
  const { url, drop } = await createTestDatabase(server)
  const db = await openDatabase({ kind: 'postgres', url, isRestore: true })
  onTestFinished(async () => {
    await db.close()
    await drop()
  })
  const begin = (backup: string, fits: boolean) =>
    beginSchemaRestore(db, { backup, aside: `aside_of_${backup}`, fits: async () => fits })
  await db.transaction((tx) =>
    withScripts(tx).script(
      'create extension pg_trgm; create table users (id bigint primary key); insert into users values (1)',
    ),
  )

  expect(await begin('one', true)).toBe('aside_of_one')
  await db.transaction((tx) => withScripts(tx).script('create table half (id bigint)'))
  expect(await begin('two', true)).toBe('aside_of_one')
  expect(await namesOf(db, 'tables')).toEqual(['half', 'unfinished_restore'])
  await expect(openDatabase({ kind: 'postgres', url })).rejects.toThrow(
    'a restore of the backup two has not ended; run alcove restore again. The former data is in the schema aside_of_one.',
  )

  expect(await begin('three', false)).toBe('aside_of_one')
  expect(await namesOf(db, 'tables')).toEqual(['unfinished_restore'])
  expect(await namesOf(db, 'schemas')).toEqual(['aside_of_one'])
  expect(await namesOf(db, 'extensions')).toEqual(['pg_trgm'])
  expect(await db.all(sql`select id from aside_of_one.users`)).toEqual([{ id: 1 }])

  // The way back that docs/operating/back-up.md describes.
  await db.transaction((tx) =>
    withScripts(tx).script(
      `alter extension pg_trgm set schema aside_of_one; drop schema public cascade;
      alter schema aside_of_one rename to public`,
    ),
  )
  expect(await namesOf(db, 'tables')).toEqual(['users'])
  expect(await namesOf(db, 'extensions')).toEqual(['pg_trgm'])

  await begin('four', true)
  await db.transaction(dropSchemaRecord)
  await (await openDatabase({ kind: 'postgres', url })).close()
})
