import { join, resolve } from 'node:path'
import { backUpSqlite } from './db/backup.ts'
import type { Settings } from './platform/settings.ts'

/** Writes a copy of the database to a new file. Prints its size and the time taken. */
export async function runBackupCommand({ databaseUrl, dataFolder }: Settings, target: string): Promise<void> {
  if (databaseUrl) {
    throw new Error(
      'alcove backup copies a SQLite database, and this one is PostgreSQL; use pg_dump, see docs/operating/back-up.md',
    )
  }
  const startedAt = performance.now()
  const bytes = await backUpSqlite(join(dataFolder, 'alcove.sqlite3'), resolve(target))
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  console.log(`Wrote ${target}: ${(bytes / 1024 / 1024).toFixed(1)} MiB in ${seconds} s, checked. Copy the files next.`)
}
