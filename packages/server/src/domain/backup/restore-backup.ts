import type { Readable } from 'node:stream'
import { Readable as Stream } from 'node:stream'
import type { Database } from '../../db/db.ts'
import { type DumpRow, listDumpTables } from '../../db/dump.ts'
import { loadRows } from '../../db/load.ts'
import { type Migration, migrate, migrationsUpTo } from '../../db/migrate.ts'
import type { ObjectStore } from '../../platform/object-store/objects.ts'
import { BackupProblem, type FileEntry, type Manifest, type StoredTable } from './backup.ts'
import { type BackupStore, checked, sizeIfRight, WrongContent } from './backup-store.ts'
import { readChunks } from './chunks.ts'
import { mapTogether, mebibytes, readFileEntries } from './copy-files.ts'

const reportMs = 5_000
const batchSize = 64

/**
 * Fills an empty database with the rows of a backup, with the schema that they had. Later migrations stay pending. Tables
 * that the migrations do not create belong to other programs and are left out.
 */
export async function restoreRows(
  store: BackupStore,
  manifest: Manifest,
  { db, migrations }: { db: Database; migrations: readonly Migration[] },
): Promise<void> {
  await migrate(db, migrationsUpTo(manifest.migrations, migrations))
  const known = new Set((await listDumpTables(db)).map(({ name }) => name))
  const tables = manifest.tables
    .filter(({ name }) => known.has(name))
    .map(({ name, columns }) => ({ name, columns: columns.map((column) => ({ name: column })) }))
  await loadRows(db, {
    tables,
    sequences: () => Object.fromEntries(Object.entries(manifest.sequences).filter(([name]) => known.has(name))),
    rows: (table) => readTable(store, tableOf(manifest, table.name)),
  })
}

function tableOf({ tables }: Manifest, name: string): StoredTable {
  const found = tables.find((table) => table.name === name)
  if (!found) throw new BackupProblem(`the backup has no table ${name}`)
  return found
}

async function* readTable(store: BackupStore, table: StoredTable): AsyncGenerator<DumpRow[]> {
  // Each line was written by this program and has the right hash.
  for await (const lines of readChunks(store, table)) yield lines.map((line) => JSON.parse(line) as DumpRow)
}

export interface RestoredFiles {
  count: number
  copied: number
  copiedBytes: number
  /** Rows whose file is not in the backup. */
  missing: string[]
}

/** Stores the files of a backup, except those that the object store has already with the same content. */
export async function restoreFiles(
  store: BackupStore,
  manifest: Manifest,
  { objects, report }: { objects: ObjectStore; report(line: string): void },
): Promise<RestoredFiles> {
  const result: RestoredFiles = { count: 0, copied: 0, copiedBytes: 0, missing: [] }
  let reportedAt = performance.now()
  await forEachFile(store, manifest, async (entry) => {
    result.count++
    if (entry.sha256 === null) return void result.missing.push(`${entry.row} (${entry.key})`)
    if (await hasContent(objects, entry.key, entry.sha256)) return
    const content = await openContent(store, entry)
    await putContent(store, objects, { entry, content })
    result.copied++
    result.copiedBytes += entry.bytes
    if (performance.now() - reportedAt < reportMs) return
    reportedAt = performance.now()
    report(`${result.count} of ${manifest.files.count} files (${mebibytes(result.copiedBytes)}) …`)
  })
  return result
}

/** Runs the work for every file of a backup, for several files at a time. */
export async function forEachFile(
  store: BackupStore,
  manifest: Manifest,
  work: (entry: FileEntry) => Promise<void>,
): Promise<void> {
  let batch: FileEntry[] = []
  for await (const entry of readFileEntries(store, manifest)) {
    batch.push(entry)
    if (batch.length < batchSize) continue
    await mapTogether(batch, work)
    batch = []
  }
  await mapTogether(batch, work)
}

async function putContent(
  store: BackupStore,
  objects: ObjectStore,
  { entry, content }: { entry: FileEntry; content: Readable },
): Promise<void> {
  try {
    await objects.put(entry.key, Stream.from(checked(content, entry.sha256 ?? ''), { objectMode: false }))
  } catch (error) {
    throw error instanceof WrongContent ? damagedFile(store, entry) : error
  } finally {
    content.on('error', () => {}).destroy()
  }
}

/** Opens the content of a file in the backup. */
export async function openContent(store: BackupStore, entry: FileEntry): Promise<Readable> {
  const content = entry.sha256 === null ? undefined : await store.openFile(entry.sha256)
  if (content) return content
  throw new BackupProblem(
    `the object files/${entry.sha256} of ${store.place} is missing: it is the file of ${entry.row}`,
  )
}

export function damagedFile(store: BackupStore, { row, sha256 }: FileEntry): BackupProblem {
  return new BackupProblem(
    `the object files/${sha256} of ${store.place} is damaged: it is the file of ${row} and has another hash`,
  )
}

async function hasContent(objects: ObjectStore, key: string, sha256: string): Promise<boolean> {
  const there = await objects.open(key)
  return there !== undefined && (await sizeIfRight(there, sha256)) !== undefined
}
