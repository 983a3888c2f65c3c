import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Db } from '../../db/db.ts'
import { type DumpTable, listDumpTables, readRows, readSequences } from '../../db/dump.ts'
import type { DatabaseOptions } from '../../db/engine.ts'
import { appliedMigrations, type Migration } from '../../db/migrate.ts'
import { readSnapshot } from '../../db/open.ts'
import type { ObjectStore } from '../../platform/object-store/objects.ts'
import { revision } from '../../platform/version.ts'
import { readStoredFiles } from '../removal/stored-files.ts'
import type { Manifest, StoredTable } from './backup.ts'
import type { BackupStore } from './backup-store.ts'
import { type Line, writeChunks } from './chunks.ts'
import { copyFiles, type FileReport } from './copy-files.ts'

export interface BackupSource {
  database: DatabaseOptions
  objects: ObjectStore
  migrations: readonly Migration[]
}

export interface BackupOptions {
  /** Reads contents that exist already, and stores them again when they are damaged. */
  isThorough?: boolean
  /** Receives a line about the progress. */
  report(line: string): void
}

/** Number of attempts when files disappear during the backup. */
const maxAttempts = 3

/**
 * Writes a backup: the rows as of one moment, then the files of these rows. A file is stored before its row and removed
 * after it, so each row has its file, unless files are removed at once; then the backup begins again. It is complete
 * when its manifest is written. The caller holds the lock of the store.
 */
export async function writeBackup(
  store: BackupStore,
  source: BackupSource,
  options: BackupOptions,
): Promise<{ manifest: Manifest; files: FileReport }> {
  const previous = await newestReadable(store, options)
  const chunks = previous ? [...previous.tables.flatMap((table) => table.chunks), ...previous.files.chunks] : []
  await store.loadContents(options.isThorough ? [] : chunks)
  const folder = await mkdtemp(join(tmpdir(), 'alcove-backup-'))
  try {
    let missing = new Set<string>()
    for (let attempt = 1; ; attempt++) {
      const spool = join(folder, `files-${attempt}`)
      const rows = await writeRows(store, source, { spool, report: options.report })
      options.report(`${rows.tables.length} tables with ${countRows(rows.tables)} rows; comparing files …`)
      const files = await copyFiles(store, source.objects, { previous, entries: readSpool(spool), ...options })
      const isNew = files.missing.some((key) => !missing.has(key))
      if (isNew && attempt < maxAttempts) {
        options.report('Files were removed during the backup; reading the database again …')
        missing = new Set(files.missing)
        continue
      }
      const { list } = files
      return { manifest: { format: 1, name: nameOf(rows.createdAt), revision, ...rows, files: list }, files }
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Returns the newest backup that can be read. A damaged manifest costs time, because all is compared again. */
async function newestReadable(store: BackupStore, { report }: BackupOptions): Promise<Manifest | undefined> {
  for (const name of (await store.listNames()).reverse()) {
    try {
      return await store.readManifest(name)
    } catch (error) {
      report(error instanceof Error ? error.message : String(error))
    }
  }
  return undefined
}

type Rows = Pick<Manifest, 'createdAt' | 'engine' | 'migrations' | 'tables' | 'sequences'>

/** Stores all rows of one snapshot. Lists their files in a temporary file, so that the snapshot ends soon. */
async function writeRows(
  store: BackupStore,
  { database, migrations }: BackupSource,
  { spool, report }: { spool: string; report(line: string): void },
): Promise<Rows> {
  return readSnapshot(database, async (db) => {
    const applied = await appliedMigrations(db, migrations)
    const createdAt = new Date().toISOString()
    const dumped = await listDumpTables(db)
    const tables: StoredTable[] = []
    for (const table of dumped) {
      const stored = await writeTable(store, db, table)
      tables.push(stored)
      if (stored.rows >= 100_000) report(`${table.name}: ${stored.rows} rows`)
    }
    await writeSpool(db, spool)
    // Last, because sequences of PostgreSQL are not part of a snapshot.
    const sequences = await readSequences(db, dumped)
    return { createdAt, engine: db.dialect.engine, migrations: applied, tables, sequences }
  })
}

async function writeTable(store: BackupStore, db: Db, table: DumpTable): Promise<StoredTable> {
  const { sha256, chunks, lines } = await writeChunks(store, linesOf(db, table))
  return { name: table.name, columns: table.columns.map(({ name }) => name), rows: lines, sha256, chunks }
}

/** Reads the rows of a table as lines of JSON. */
export async function* linesOf(db: Db, table: DumpTable): AsyncGenerator<Line[]> {
  const places = table.key.map((name) => table.columns.findIndex((column) => column.name === name))
  for await (const batch of readRows(db, table)) {
    yield batch.map((row) => ({ identity: places.map((place) => row[place]).join(' '), text: JSON.stringify(row) }))
  }
}

async function writeSpool(db: Db, path: string): Promise<void> {
  const file = createWriteStream(path)
  const failed = once(file, 'error').then(([error]) => Promise.reject(error))
  failed.catch(() => {})
  for await (const { kind, id, key, sha256 } of readStoredFiles(db)) {
    const line = `${JSON.stringify({ row: `${kind} ${id}`, key, sha256 })}\n`
    if (!file.write(line)) await Promise.race([once(file, 'drain'), failed])
  }
  await Promise.race([new Promise<void>((resolve) => file.end(resolve)), failed])
}

/** Row with a file; `sha256` is the digest that the row records, if any. */
interface SpooledFile {
  row: string
  key: string
  sha256: string | null
}

async function* readSpool(path: string): AsyncGenerator<SpooledFile> {
  for await (const line of createInterface({ input: createReadStream(path) })) {
    yield JSON.parse(line) as SpooledFile // written above
  }
}

const countRows = (tables: readonly StoredTable[]) => tables.reduce((sum, { rows }) => sum + rows, 0)
const nameOf = (time: string) => time.toLowerCase().replaceAll(/[:.]/g, '-')
