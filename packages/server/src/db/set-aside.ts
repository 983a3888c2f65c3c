import sql, { raw } from 'sql-template-tag'
import type { Database, Db } from './db.ts'
import { hasUsers } from './dump.ts'
import { type DatabaseOptions, withScripts } from './engine.ts'
import { findSchemaRecord, insertSchemaRecord } from './unfinished-restore.ts'

/** Name by which the servers of a PostgreSQL database connect. Commands connect by another one. */
const serverName = 'alcove'
const commandName = 'alcove-command'

/** Returns options by which a command connects, so that it is not taken for a server. */
export function asCommand(options: DatabaseOptions): DatabaseOptions {
  if (options.kind === 'sqlite') return options
  const url = new URL(options.url)
  url.searchParams.set('application_name', commandName)
  return { ...options, url: url.href }
}

/** Throws when a server uses the PostgreSQL database. SQLite's lock does the same for a file. */
export async function assertNotServed(db: Db): Promise<void> {
  if (db.dialect.engine === 'sqlite') return
  const server = await db.one(sql`
    select 1 as found from pg_stat_activity
    where datname = current_database() and application_name = ${serverName} limit 1`)
  if (server) throw new Error('a server uses the database; stop all of its processes first')
}

/**
 * Prepares the schema of a PostgreSQL database for a restore, in one transaction, and records that it has begun. Users
 * keep their rows in a schema of another name. What an interrupted restore has left is removed, unless it `fits`.
 * Returns the name of the schema with the former rows, or null when there were none.
 */
export async function beginSchemaRestore(
  db: Database,
  { backup, aside, fits }: { backup: string; aside: string; fits(db: Db): Promise<boolean> },
): Promise<string | null> {
  return db.transaction(async (tx) => {
    const earlier = await findSchemaRecord(tx)
    if (earlier) {
      if (!(await fits(tx))) {
        await renameSchema(tx, aside)
        await withScripts(tx).script(`drop schema ${quoted(aside)} cascade`)
      }
      await insertSchemaRecord(tx, { backup, aside: earlier.aside })
      return earlier.aside
    }
    const isUsed = await hasUsers(tx)
    if (isUsed) await renameSchema(tx, aside)
    await insertSchemaRecord(tx, { backup, aside: isUsed ? aside : null })
    return isUsed ? aside : null
  })
}

/** Renames the current schema, and creates an empty one with its name and its extensions. */
async function renameSchema(tx: Db, name: string): Promise<void> {
  const session = withScripts(tx)
  const [found] = await tx.all<{ schema: string }>(sql`select current_schema()::text as schema`)
  const schema = quoted(found?.schema ?? 'public')
  const extensions = await tx.all<{ name: string }>(sql`
    select extname as name from pg_extension where extnamespace = current_schema()::regnamespace`)
  await session.script(`alter schema ${schema} rename to ${quoted(name)}; create schema ${schema}`)
  for (const extension of extensions) {
    await tx.run(sql`alter extension ${raw(quoted(extension.name))} set schema ${raw(schema)}`)
  }
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
