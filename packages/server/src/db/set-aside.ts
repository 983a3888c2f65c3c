import { existsSync } from 'node:fs'
import { mkdir, rename } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import sql, { raw } from 'sql-template-tag'
import type { Db } from './db.ts'
import { hasUsers } from './dump.ts'
import { type DatabaseOptions, withScripts } from './engine.ts'
import { openDatabase } from './open.ts'

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
 * Moves a SQLite database with everything in `others` into a new folder beside it. Returns the folder, or `undefined`
 * when there was nothing to move. The caller holds the lock of the database.
 */
export async function setAsideFiles(
  file: string,
  others: readonly string[],
  name: string,
): Promise<string | undefined> {
  const folder = dirname(file)
  const names = [...['', '-wal', '-shm', '.position'].map((ending) => basename(file) + ending), ...others]
  const found = names.filter((entry) => existsSync(join(folder, entry)))
  if (found.length === 0) return undefined
  const aside = join(folder, name)
  await mkdir(aside)
  for (const entry of found) await rename(join(folder, entry), join(aside, entry))
  return aside
}

/** Renames the schema of a PostgreSQL database with users, and creates an empty one. Returns the new name of the old. */
export async function setAsideSchema(options: DatabaseOptions, name: string): Promise<string | undefined> {
  const db = await openDatabase(options)
  try {
    if (!(await hasUsers(db))) return undefined
    await db.transaction(async (tx) => {
      const session = withScripts(tx)
      const [found] = await tx.all<{ schema: string }>(sql`select current_schema()::text as schema`)
      const schema = quoted(found?.schema ?? 'public')
      const extensions = await tx.all<{ name: string }>(sql`
        select extname as name from pg_extension where extnamespace = current_schema()::regnamespace`)
      await session.script(`alter schema ${schema} rename to ${quoted(name)}; create schema ${schema}`)
      for (const extension of extensions) {
        await tx.run(sql`alter extension ${raw(quoted(extension.name))} set schema ${raw(schema)}`)
      }
    })
    return name
  } finally {
    await db.close()
  }
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
