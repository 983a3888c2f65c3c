import { existsSync, readFileSync } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import sql, { raw } from 'sql-template-tag'
import type { Db } from './db.ts'
import { withScripts } from './engine.ts'

/**
 * Record of a restore that has begun and not ended. A kill leaves it behind, and while it exists the database cannot be
 * opened except by another restore. It is a file beside a SQLite database, and a table on PostgreSQL.
 */
export interface UnfinishedRestore {
  /** Name of the backup. */
  backup: string
  /** Folder or schema with the former data; null when there was none. */
  aside: string | null
}

interface FileRecord extends UnfinishedRestore {
  /** Whether all former files are in `aside`, so that those in place come from the restore. */
  isMoved: boolean
}

const recordOf = (file: string) => `${file}.unfinished-restore`

/** Name of the table on PostgreSQL, which is not part of a backup. */
export const unfinishedRestoreTable = 'unfinished_restore'

/** Throws when a restore of this SQLite database has not ended. */
export function assertRestoredFile(file: string): void {
  const found = findFileRecord(file)
  if (found) throw unfinished(found, found.aside && join(dirname(file), found.aside))
}

/** Throws when a restore of this PostgreSQL database has not ended. */
export async function assertRestoredSchema(db: Db): Promise<void> {
  const found = await findSchemaRecord(db)
  if (found) throw unfinished(found, found.aside && `the schema ${found.aside}`)
}

function unfinished({ backup }: UnfinishedRestore, place: string | null): Error {
  const former = place === null ? '' : ` The former data is in ${place}.`
  return new Error(`a restore of the backup ${backup} has not ended; run alcove restore again.${former}`)
}

export function findFileRecord(file: string): FileRecord | undefined {
  const path = recordOf(file)
  if (!existsSync(path)) return undefined
  return JSON.parse(readFileSync(path, 'utf8')) as FileRecord // written below, as a whole
}

/**
 * Records the beginning of a restore, and moves a SQLite database with everything in `others` into a folder beside it. An
 * interrupted restore continues with the folder that it chose. Returns the folder, or null when there was nothing to
 * move. The caller holds the lock of the database.
 */
export async function beginFileRestore(
  file: string,
  { backup, others, aside }: { backup: string; others: readonly string[]; aside: string },
): Promise<string | null> {
  const earlier = findFileRecord(file)
  if (earlier?.isMoved) {
    await writeRecord(file, { ...earlier, backup })
    return earlier.aside
  }
  const folder = dirname(file)
  const names = [...['', '-wal', '-shm', '.position'].map((ending) => basename(file) + ending), ...others]
  const found = names.filter((name) => existsSync(join(folder, name)))
  const chosen = earlier?.aside ?? (found.length > 0 ? aside : null)
  await writeRecord(file, { backup, aside: chosen, isMoved: false })
  if (chosen !== null) {
    await mkdir(join(folder, chosen), { recursive: true })
    for (const name of found) await rename(join(folder, name), join(folder, chosen, name))
    await syncPath(join(folder, chosen))
    await syncPath(folder)
  }
  await writeRecord(file, { backup, aside: chosen, isMoved: true })
  return chosen
}

export async function endFileRestore(file: string): Promise<void> {
  await rm(recordOf(file))
  await syncPath(dirname(file))
}

async function writeRecord(file: string, record: FileRecord): Promise<void> {
  const path = recordOf(file)
  const handle = await open(`${path}.new`, 'w', 0o600)
  try {
    await handle.writeFile(JSON.stringify(record))
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(`${path}.new`, path)
  await syncPath(dirname(path))
}

export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

export async function findSchemaRecord(db: Db): Promise<UnfinishedRestore | undefined> {
  const table = await db.one<{ found: unknown }>(sql`select to_regclass(${unfinishedRestoreTable}) as found`)
  if (!table?.found) return undefined
  return db.one<UnfinishedRestore>(sql`select backup, aside from ${raw(unfinishedRestoreTable)}`)
}

/** Records the beginning of a restore in the current schema, which may not have the table of recent commits. */
export async function insertSchemaRecord(tx: Db, { backup, aside }: UnfinishedRestore): Promise<void> {
  const table = unfinishedRestoreTable
  await withScripts(tx).script(
    `create table if not exists ${table} (backup text not null, aside text);
    delete from ${table};
    insert into ${table} (backup, aside) values (${literal(backup)}, ${aside === null ? 'null' : literal(aside)})`,
  )
}

export async function dropSchemaRecord(tx: Db): Promise<void> {
  await withScripts(tx).script(`drop table ${unfinishedRestoreTable}`)
}

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`
