import { createHash } from 'node:crypto'
import type { ObjectStore } from '../../platform/object-store/objects.ts'
import { BackupProblem, type FileEntry, type Manifest } from './backup.ts'
import { type BackupStore, sizeIfRight, WrongContent } from './backup-store.ts'
import { type Line, readChunks, writeChunks } from './chunks.ts'

/** What became of the files of a backup. */
export interface FileReport {
  list: Manifest['files']
  copied: number
  copiedBytes: number
  /** Keys without an object. */
  missing: string[]
  /** Rows whose object does not have the recorded digest. It is backed up as it is. */
  changed: string[]
}

interface CopyOptions {
  previous: Manifest | undefined
  entries: AsyncIterable<{ row: string; key: string; sha256: string | null }>
  isThorough?: boolean
  report(line: string): void
}

const batchSize = 64
const concurrency = 8
const reportMs = 5_000

/**
 * Stores the files that are not there yet, and the list of all. A file of an earlier backup is recognised by its row
 * and key, because an object never changes, and is not read again.
 */
export async function copyFiles(store: BackupStore, objects: ObjectStore, options: CopyOptions): Promise<FileReport> {
  const report = { copied: 0, copiedBytes: 0, missing: [] as string[], changed: [] as string[] }
  const earlier = options.previous ? openEarlier(readFileEntries(store, options.previous), options.report) : undefined
  const sums = { count: 0, bytes: 0, missing: 0 }
  let reportedAt = performance.now()

  const copyOne = async (entry: { row: string; key: string; sha256: string | null }): Promise<FileEntry> => {
    const known = earlier?.find(entry.row)
    const digest = known?.key === entry.key ? known.sha256 : null
    if (known && digest !== null && !options.isThorough && store.hasFile(digest, known.bytes)) return known
    const file = await copyFile(store, objects, { key: entry.key, sha256: entry.sha256 ?? digest })
    if (!file) report.missing.push(entry.key)
    else if (entry.sha256 !== null && file.sha256 !== entry.sha256) report.changed.push(entry.row)
    if (file?.isCopied) {
      report.copied++
      report.copiedBytes += file.bytes
    }
    return { row: entry.row, key: entry.key, bytes: file?.bytes ?? 0, sha256: file?.sha256 ?? null }
  }

  async function* lines(): AsyncGenerator<Line[]> {
    for await (const batch of batchesOf(options.entries)) {
      // In order, because the earlier list is read once.
      await earlier?.advance(batch.map(({ row }) => row))
      const entries = await mapTogether(batch, copyOne)
      for (const { bytes, sha256 } of entries) {
        sums.count++
        sums.bytes += bytes
        if (sha256 === null) sums.missing++
      }
      if (performance.now() - reportedAt > reportMs) {
        reportedAt = performance.now()
        options.report(`${sums.count} files, ${report.copied} of them copied (${mebibytes(report.copiedBytes)}) …`)
      }
      yield entries.map((entry) => ({ identity: entry.row, text: JSON.stringify(entry) }))
    }
  }

  const { sha256, chunks } = await writeChunks(store, lines())
  return { list: { sha256, chunks, ...sums }, ...report }
}

/** Stores one file unless it is there; `undefined` when there is no object. */
async function copyFile(
  store: BackupStore,
  objects: ObjectStore,
  { key, sha256 }: { key: string; sha256: string | null },
): Promise<{ sha256: string; bytes: number; isCopied: boolean } | undefined> {
  const name = sha256 === null ? await describe(objects, key) : { sha256, bytes: undefined }
  if (!name) return undefined
  const there = await storedSize(store, name.sha256)
  if (there !== undefined) return { sha256: name.sha256, bytes: there, isCopied: false }
  const content = await objects.open(key)
  if (!content) return undefined
  try {
    return { sha256: name.sha256, bytes: await store.putFile(name.sha256, content), isCopied: true }
  } catch (error) {
    // The recorded digest is not that of the object: its own one names it.
    if (!(error instanceof WrongContent) || sha256 === null) throw error
    return copyFile(store, objects, { key, sha256: null })
  }
}

async function describe(objects: ObjectStore, key: string): Promise<{ sha256: string; bytes: number } | undefined> {
  const content = await objects.open(key)
  if (!content) return undefined
  const hash = createHash('sha256')
  let bytes = 0
  for await (const piece of content as AsyncIterable<Buffer>) {
    // streams of bytes yield buffers
    hash.update(piece)
    bytes += piece.length
  }
  return { sha256: hash.digest('hex'), bytes }
}

/** Returns the size of a stored file whose content is right; a power failure may have left another one. */
async function storedSize(store: BackupStore, sha256: string): Promise<number | undefined> {
  const stored = await store.openFile(sha256)
  return stored && sizeIfRight(stored, sha256)
}

/** Reads the list of files of a backup. */
export async function* readFileEntries(store: BackupStore, { files }: Manifest): AsyncGenerator<FileEntry> {
  // Each line was written by this program and has the right hash.
  for await (const lines of readChunks(store, files)) for (const line of lines) yield JSON.parse(line) as FileEntry
}

/** Looks up rows of an ordered list that is read once. */
function openEarlier(entries: AsyncGenerator<FileEntry>, report: (line: string) => void) {
  const seen = new Map<string, FileEntry>()
  let next: FileEntry | undefined
  let isOver = false
  return {
    /** Reads up to the last of these rows, and forgets those before the first. */
    async advance(rows: readonly string[]): Promise<void> {
      seen.clear()
      const last = rows.at(-1)
      while (last !== undefined && !isOver) {
        next ??= await following()
        if (!next || compareRows(next.row, last) > 0) return
        seen.set(next.row, next)
        next = undefined
      }
    },
    find: (row: string) => seen.get(row),
  }

  async function following(): Promise<FileEntry | undefined> {
    try {
      const { done, value } = await entries.next()
      isOver = done === true
      return done ? undefined : value
    } catch (error) {
      if (!(error instanceof BackupProblem)) throw error
      // Without the list every file is compared with its content.
      isOver = true
      report(error.message)
      return undefined
    }
  }
}

/** Order of `readStoredFiles`. */
const kinds = ['upload', 'avatar', 'merged avatar', 'avatar of owner', 'export', 'report']

function compareRows(a: string, b: string): number {
  const [kindA, idA] = splitRow(a)
  const [kindB, idB] = splitRow(b)
  return kinds.indexOf(kindA) - kinds.indexOf(kindB) || idA - idB
}

function splitRow(row: string): [kind: string, id: number] {
  const at = row.lastIndexOf(' ')
  return [row.slice(0, at), Number(row.slice(at + 1))]
}

async function* batchesOf<T>(items: AsyncIterable<T>): AsyncGenerator<T[]> {
  let batch: T[] = []
  for await (const item of items) {
    batch.push(item)
    if (batch.length < batchSize) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** Runs the work on several items at a time. Returns the results in the order of the items. */
export async function mapTogether<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  let at = 0
  const worker = async () => {
    for (let index = at++; index < items.length; index = at++) results[index] = await work(items[index] as T) // in range
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  return results
}

export const mebibytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MiB`
