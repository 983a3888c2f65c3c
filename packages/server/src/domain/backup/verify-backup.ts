import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Db } from '../../db/db.ts'
import { type DumpTable, listDumpTables } from '../../db/dump.ts'
import type { Migration } from '../../db/migrate.ts'
import { openDatabase } from '../../db/open.ts'
import { BackupProblem, type Manifest } from './backup.ts'
import { type BackupStore, checked, WrongContent } from './backup-store.ts'
import { damagedFile, forEachFile, openContent, restoreRows } from './restore-backup.ts'
import { linesOf } from './write-backup.ts'

/**
 * Restores a backup into a temporary SQLite database, whose rows are compared with the hashes of all tables, and reads
 * every file. Returns the problems. The format is the same for both engines, so this needs no PostgreSQL.
 */
export async function verifyBackup(
  store: BackupStore,
  manifest: Manifest,
  migrations: readonly Migration[],
): Promise<string[]> {
  const problems: string[] = []
  const note = (error: unknown) => {
    if (!(error instanceof BackupProblem)) throw error
    problems.push(error.message)
  }
  const folder = await mkdtemp(join(tmpdir(), 'alcove-verify-'))
  try {
    const db = await openDatabase({ kind: 'sqlite', file: join(folder, 'alcove.sqlite3') })
    try {
      await restoreRows(store, manifest, { db, migrations })
      const restored = await digestTables(db)
      for (const { name, sha256 } of manifest.tables) {
        if (restored.has(name) && restored.get(name) !== sha256)
          problems.push(`the table ${name} has other rows after a restore`)
      }
    } catch (error) {
      note(error)
    } finally {
      await db.close()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  const checkFile = async (entry: Parameters<typeof openContent>[1]) => {
    if (entry.sha256 === null) return
    try {
      const content = await openContent(store, entry)
      for await (const _ of checked(content, entry.sha256));
    } catch (error) {
      note(error instanceof WrongContent ? damagedFile(store, entry) : error)
    }
  }
  await forEachFile(store, manifest, checkFile).catch(note)
  return problems
}

/** Returns the SHA-256 of the rows of each table: the same for the same rows on both engines. */
export async function digestTables(db: Db): Promise<Map<string, string>> {
  const digests = new Map<string, string>()
  for (const table of await listDumpTables(db)) digests.set(table.name, await digestTable(db, table))
  return digests
}

async function digestTable(db: Db, table: DumpTable): Promise<string> {
  const hash = createHash('sha256')
  for await (const lines of linesOf(db, table)) for (const { text } of lines) hash.update(`${text}\n`)
  return hash.digest('hex')
}
