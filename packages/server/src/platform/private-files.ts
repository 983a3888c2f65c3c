import { chmod, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from './log.ts'

/** Makes every file and folder that this process creates accessible to its own user only. */
export function keepNewFilesPrivate(): void {
  process.umask(0o077)
}

/** Files of an SQLite database in the data folder, the database first. */
export const databaseFiles = ['alcove.sqlite3', 'alcove.sqlite3-wal', 'alcove.sqlite3-shm'] as const

/**
 * Restricts the data folder and the database to the current user, because an earlier version or the operator may have
 * created them with wider modes. Logs a warning for files of another user, which cannot be changed.
 */
export async function closeDataFolder(folder: string, log: Log): Promise<void> {
  await narrow(folder, 0o700, log)
  await narrow(join(folder, 'objects'), 0o700, log)
  for (const name of databaseFiles) await narrow(join(folder, name), 0o600, log)
}

async function narrow(path: string, mode: number, log: Log): Promise<void> {
  const found = await stat(path).catch(() => undefined)
  if (!found || (found.mode & 0o077) === 0) return
  try {
    await chmod(path, mode)
  } catch (error) {
    log.warn({ err: error, path, mode: (found.mode & 0o777).toString(8) }, 'other users of this machine can read this')
  }
}
