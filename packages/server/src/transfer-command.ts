import { mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { databaseOptions, openDatabaseFor } from './app.ts'
import { hasUsers } from './db/dump.ts'
import type { DatabaseOptions } from './db/engine.ts'
import { migrations } from './db/migrations/all.ts'
import { openDatabase } from './db/open.ts'
import { asCommand, assertNotServed } from './db/set-aside.ts'
import { transferRows } from './domain/backup/transfer.ts'
import { databaseFiles } from './platform/private-files.ts'
import type { Settings } from './platform/settings/settings.ts'

export interface TransferCommand {
  /** Address of a PostgreSQL database, or a folder for a SQLite one. */
  to: string
}

/** Copies all rows into an empty database. Files stay where they are. Returns false when a table differs afterwards. */
export async function runTransferCommand(settings: Settings, { to }: TransferCommand): Promise<boolean> {
  const target = await readTarget(to)
  const from = asCommand(databaseOptions(settings))
  // Keeps servers out of a SQLite database until the end.
  const guard = from.kind === 'sqlite' ? await openDatabaseFor(settings) : await openDatabase(from)
  try {
    await assertNotServed(guard)
    const db = await openDatabase(target)
    try {
      await assertNotServed(db)
      if (await hasUsers(db)) throw new Error('the target has users already; use an empty database')
      console.error(`Copying from ${nameOf(from)} to ${nameOf(target)} …`)
      const { tables, differing } = await transferRows(from, { db, migrations })
      for (const table of differing) console.error(`alcove: the table ${table} has other rows after the transfer`)
      if (differing.length > 0) return false
      console.log(`Copied ${tables} tables; every row is the same. Files were left where they are.`)
      console.log(`Set ${settingsFor(target)}, and start the server.`)
      return true
    } finally {
      await db.close()
    }
  } finally {
    await guard.close()
  }
}

async function readTarget(to: string): Promise<DatabaseOptions> {
  if (/^postgres(ql)?:/.test(to)) return asCommand({ kind: 'postgres', url: to })
  await mkdir(resolve(to), { recursive: true, mode: 0o700 })
  return { kind: 'sqlite', file: join(resolve(to), databaseFiles[0]) }
}

const nameOf = (options: DatabaseOptions) => (options.kind === 'sqlite' ? options.file : 'PostgreSQL')

function settingsFor(target: DatabaseOptions): string {
  if (target.kind === 'postgres') return 'ALCOVE_DATABASE_URL to the new database'
  return 'ALCOVE_DATA to the new folder (with the folder objects of the former one), without ALCOVE_DATABASE_URL'
}
