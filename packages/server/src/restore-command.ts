import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { databaseOptions, openObjectsFor } from './app.ts'
import { printProgress, printVerification } from './backup-command.ts'
import { openBackupSource } from './backup-place.ts'
import type { Database, Db } from './db/db.ts'
import { hasUsers } from './db/dump.ts'
import type { DatabaseOptions } from './db/engine.ts'
import { migrationsUpTo, pendingMigrations } from './db/migrate.ts'
import { migrations } from './db/migrations/all.ts'
import { openDatabase } from './db/open.ts'
import { asCommand, assertNotServed, beginSchemaRestore } from './db/set-aside.ts'
import { lockIfFree } from './db/sqlite/engine.ts'
import {
  beginFileRestore,
  dropSchemaRecord,
  endFileRestore,
  findFileRecord,
  findSchemaRecord,
  syncPath,
} from './db/unfinished-restore.ts'
import type { Manifest } from './domain/backup/backup.ts'
import type { BackupStore } from './domain/backup/backup-store.ts'
import { mebibytes } from './domain/backup/copy-files.ts'
import { endOutgoing } from './domain/backup/end-outgoing.ts'
import { restoreFiles, restoreRows } from './domain/backup/restore-backup.ts'
import { databaseFiles } from './platform/private-files.ts'
import type { Settings } from './platform/settings/settings.ts'

export interface RestoreCommand {
  source: string
  /** Name of the backup. Default: the newest. */
  backup: string | undefined
  /** Moves an existing database aside. */
  force: boolean
  /** Only restores into a temporary place and compares. */
  verify: boolean
  /** Only prints the names. */
  list: boolean
}

/** Restores a backup into the database and the object store of the settings. Returns false when something is missing. */
export async function runRestoreCommand(settings: Settings, command: RestoreCommand): Promise<boolean> {
  const store = await openBackupSource(settings, command.source)
  try {
    const names = await store.listNames()
    if (command.list) {
      for (const name of names) console.log(await describe(store, name))
      return true
    }
    const name = command.backup ?? names.at(-1)
    if (name === undefined) throw new Error(`there is no complete backup in ${command.source}`)
    const manifest = await store.readManifest(name)
    if (command.verify) return await printVerification(store, manifest)
    return await restore(settings, { store, manifest, force: command.force })
  } finally {
    await store.close()
  }
}

async function describe(store: BackupStore, name: string): Promise<string> {
  try {
    const { createdAt, engine, tables, files } = await store.readManifest(name)
    const rows = tables.reduce((sum, table) => sum + table.rows, 0)
    return `${name}  ${createdAt}  ${engine}, ${rows} rows, ${files.count} files (${mebibytes(files.bytes)})`
  } catch (error) {
    return `${name}  ${error instanceof Error ? error.message : String(error)}`
  }
}

interface Restore {
  store: BackupStore
  manifest: Manifest
  force: boolean
}

async function restore(settings: Settings, given: Restore): Promise<boolean> {
  const startedAt = performance.now()
  const missing = settings.databaseUrl ? await intoPostgres(settings, given) : await intoSqlite(settings, given)
  const { name, createdAt, tables, files } = given.manifest
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  console.log(`Restored the backup ${name} in ${seconds} s: ${rows} rows and ${files.count - missing.length} files.`)
  console.log(`It has everything up to ${createdAt}; later changes are lost. Start the server, then run alcove doctor.`)
  for (const row of missing) console.error(`alcove: the backup lacks the file of ${row}`)
  return missing.length === 0
}

/** Writes the database beside its place, and moves it there when everything is restored. */
async function intoSqlite(settings: Settings, { store, manifest, force }: Restore): Promise<string[]> {
  const file = join(settings.dataFolder, databaseFiles[0])
  await mkdir(settings.dataFolder, { recursive: true, mode: 0o700 })
  const lock = lockIfFree(file)
  if (!lock) throw new Error(`a server uses ${file}; stop it first`)
  try {
    if (!force && existsSync(file) && !findFileRecord(file)) {
      throw new Error(`${file} exists already; use an empty data folder, or --force to move it aside`)
    }
    const options = { backup: manifest.name, others: force ? ['objects'] : [], aside: `before-restore-${Date.now()}` }
    const aside = await beginFileRestore(file, options)
    if (aside !== null) console.log(`What was there before is in ${join(settings.dataFolder, aside)}.`)
    const partial = `${file}.restoring`
    const removePartial = async () => {
      for (const ending of ['', '-wal', '-shm', '.position', '.lock']) await rm(partial + ending, { force: true })
    }
    await removePartial()
    const files = await withObjects(settings, { store, manifest })
    printProgress(`${files.count} files are there; restoring rows …`)
    const db = await openDatabase({ kind: 'sqlite', file: partial })
    try {
      await restoreRows(store, manifest, { db, migrations })
      await endMessages(db)
    } finally {
      await db.close()
    }
    await syncPath(partial)
    await rename(partial, file)
    await syncPath(dirname(file))
    await removePartial()
    await endFileRestore(file)
    return files.missing
  } finally {
    lock.close()
  }
}

/** Restores the rows last. A server refuses the database from the first change to the last one. */
async function intoPostgres(settings: Settings, { store, manifest, force }: Restore): Promise<string[]> {
  const selected = asCommand(databaseOptions(settings))
  const options: DatabaseOptions = selected.kind === 'postgres' ? { ...selected, isRestore: true } : selected
  const prepared = await openDatabase(options)
  try {
    await assertNotServed(prepared)
    if (!force && (await hasUsers(prepared)) && !(await findSchemaRecord(prepared))) {
      throw new Error('the database is not empty; use an empty one, or --force to rename its schema')
    }
    const aside = await beginSchemaRestore(prepared, {
      backup: manifest.name,
      aside: `before_restore_${Date.now()}`,
      fits: (db) => hasMigrationsOf(db, manifest),
    })
    if (aside !== null) console.log(`What was there before is in the schema ${aside}.`)
  } finally {
    await prepared.close()
  }
  const files = await withObjects(settings, { store, manifest })
  printProgress(`${files.count} files are there; restoring rows …`)
  const db = await openDatabase(options)
  try {
    await restoreRows(store, manifest, { db, migrations })
    await endMessages(db)
    await db.transaction(dropSchemaRecord)
  } finally {
    await db.close()
  }
  return files.missing
}

async function endMessages(db: Database): Promise<void> {
  const now = () => new Date().toISOString()
  const { mails, chatMessages } = await db.transaction((db) => endOutgoing({ db, now }))
  if (mails + chatMessages === 0) return
  console.log(
    `Not sent, because the former server may have sent them: ${mails} queued e-mails, ${chatMessages} queued messages to chats.`,
  )
}

/** Returns true when an interrupted restore of the same or a newer schema can continue in its tables. */
function hasMigrationsOf(db: Db, manifest: Manifest): Promise<boolean> {
  return pendingMigrations(db, migrationsUpTo(manifest.migrations, migrations)).then(
    () => true,
    () => false,
  )
}

async function withObjects(settings: Settings, { store, manifest }: Pick<Restore, 'store' | 'manifest'>) {
  const objects = await openObjectsFor(settings)
  try {
    await objects.ready()
    return await restoreFiles(store, manifest, { objects, report: printProgress })
  } finally {
    await objects.close()
  }
}
