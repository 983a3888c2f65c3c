import { databaseOptions, openObjectsFor } from './app.ts'
import { openBackupTarget } from './backup-place.ts'
import { migrations } from './db/migrations/all.ts'
import { asCommand } from './db/set-aside.ts'
import type { Manifest } from './domain/backup/backup.ts'
import type { BackupStore } from './domain/backup/backup-store.ts'
import { type FileReport, mebibytes } from './domain/backup/copy-files.ts'
import { pruneBackups } from './domain/backup/prune-backups.ts'
import { verifyBackup } from './domain/backup/verify-backup.ts'
import { writeBackup } from './domain/backup/write-backup.ts'
import type { Settings } from './platform/settings/settings.ts'

export interface BackupCommand {
  target: string
  /** Number of backups that stay. Default: all. */
  keep: number | undefined
  verify: boolean
}

/** Writes a backup, while the server runs or not. Returns false when it lacks files or does not pass verification. */
export async function runBackupCommand(settings: Settings, command: BackupCommand): Promise<boolean> {
  const startedAt = performance.now()
  const store = await openBackupTarget(settings, command.target)
  const objects = await openObjectsFor(settings)
  try {
    await objects.ready()
    const lock = await store.lock()
    try {
      const source = { database: asCommand(databaseOptions(settings)), objects, migrations }
      const options = { isThorough: command.verify, report: printProgress }
      const { manifest, files } = await writeBackup(store, source, options)
      await lock.assertHeld()
      await store.writeManifest(manifest)
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
      console.log(`Wrote the backup ${manifest.name} to ${store.place} in ${seconds} s: ${summaryOf(manifest, files)}.`)
      const isComplete = warn(files)
      const isRight = !command.verify || (await printVerification(store, manifest))
      if (command.keep !== undefined) await prune(store, command.keep)
      return isComplete && isRight
    } finally {
      await lock.release()
    }
  } finally {
    await Promise.all([objects.close(), store.close()])
  }
}

export const printProgress = (line: string) => console.error(line)

function summaryOf({ tables, files }: Manifest, { copied, copiedBytes }: FileReport): string {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  const total = `${files.count} files (${mebibytes(files.bytes)})`
  return `${rows} rows, ${total}, of which ${copied} copied (${mebibytes(copiedBytes)}) and the rest there already`
}

/** Prints what is wrong with the server's own files. Returns false when some are missing. */
function warn({ missing, changed, list }: FileReport): boolean {
  for (const row of changed)
    console.error(`alcove: the file of ${row} has another SHA-256 than recorded; copied as it is`)
  for (const key of missing) console.error(`alcove: the file ${key} does not exist in the object store`)
  if (list.missing === 0) return true
  console.error('The backup is complete but for these files, which were lost before it; see alcove doctor.')
  return false
}

/** Verifies a backup and prints the result. Returns false when it has problems. */
export async function printVerification(store: BackupStore, manifest: Manifest): Promise<boolean> {
  const problems = await verifyBackup(store, manifest, migrations)
  for (const problem of problems) console.error(`alcove: ${problem}`)
  if (problems.length > 0) return false
  const { tables, files } = manifest
  console.log(
    `Verified ${manifest.name}: ${tables.length} tables and ${files.count - files.missing} files are the same.`,
  )
  return true
}

async function prune(store: BackupStore, keep: number): Promise<void> {
  const { backups, contents, bytes } = await pruneBackups(store, keep)
  const contentsText = `${contents} contents that no other backup needs (${mebibytes(bytes)})`
  if (backups + contents > 0) console.log(`Removed ${backups} older backups and ${contentsText}.`)
}
