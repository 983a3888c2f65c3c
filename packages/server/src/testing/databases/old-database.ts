import { readFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import sql, { raw } from 'sql-template-tag'
import type { Database, Db } from '../../db/db.ts'
import type { ScriptRunner } from '../../db/engine.ts'
import { openMemoryStore } from '../../platform/object-store/memory.ts'
import type { ObjectStore } from '../../platform/object-store/objects.ts'
import { emptyDatabase } from './database.ts'

const folder = new URL('../../db/migrations/upgrade/5d14de7/', import.meta.url)
const read = (file: string) => readFile(new URL(file, folder), 'utf8')

/** Creates an empty database with the schema of commit 5d14de7. */
export async function emptyOldDatabase(): Promise<Database> {
  const db = await emptyDatabase()
  await runScript(db, `${db.dialect.engine}.sql`)
  return db
}

/** Creates a database as the program of commit 5d14de7 left it, with rows in every table. */
export async function oldDatabase(): Promise<Database> {
  const db = await emptyOldDatabase()
  await runScript(db, 'rows.sql')
  if (db.dialect.engine === 'postgres') await continueSequences(db)
  return db
}

async function runScript(db: Database, file: string): Promise<void> {
  const script = await read(file)
  // Only migrations run scripts otherwise, so `Db` does not offer them.
  await db.transaction((tx) => (tx as Db & ScriptRunner).script(script))
}

/** Sets each sequence after the ids of the inserted rows. */
async function continueSequences(db: Db): Promise<void> {
  const tables = await db.all<{ name: string }>(sql`
    select table_name as name from information_schema.columns
    where table_schema = 'public' and column_name = 'id' and is_identity = 'YES'`)
  for (const { name } of tables)
    await db.all(sql`select setval(pg_get_serial_sequence(${name}, 'id'), (select max(id) from ${raw(name)}))`)
}

/** Opens a store with the objects to which the rows of `oldDatabase` refer. */
export async function oldObjects(): Promise<ObjectStore> {
  const objects = openMemoryStore()
  const contents: Record<string, string> = JSON.parse(await read('objects.json'))
  for (const [key, content] of Object.entries(contents))
    await objects.put(key, Readable.from([Buffer.from(content, 'base64')]))
  return objects
}
