import { hash, randomUUID } from 'node:crypto'
import { closeSync, fdatasync, fsync, open, openSync, writevSync } from 'node:fs'
import { type FileHandle, mkdir, open as openHandle, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { unavailable } from '../failure.ts'
import { type Bytes, discard, suppressUnhandledError } from './bytes.ts'
import { openFileWriter } from './file-writer.ts'
import { assertKey } from './key.ts'
import type { ObjectInfo, ObjectStore } from './objects.ts'
import { type BufferPool, closeUnchanged, openBufferPool, openFilePieces, readFileStart } from './pieces.ts'

/** Minimum age of leftover files. A file modified more recently may be in use by another process. */
const silenceMs = 60 * 60 * 1000

/** Maximum size of a file that is synced together with its folder. */
const smallBytes = 64 * 1024
const readBytes = 256 * 1024

/**
 * Opens a store of files. Complete objects are in `<folder>/objects/<shard>/<name>`, objects being written in
 * `<folder>/tmp`. A crash leaves files in `tmp`, which are deleted by the next start once they are an hour old, and at
 * worst an incomplete object whose `put` had not resolved, which the orphan cleanup deletes.
 */
export async function openDiskStore(folder: string): Promise<ObjectStore> {
  const objects = join(folder, 'objects')
  const temporary = join(folder, 'tmp')
  await mkdir(temporary, { recursive: true })
  await Promise.all(shards.map((shard) => mkdir(join(objects, shard), { recursive: true })))
  for (const created of [objects, folder]) await syncDirectory(created)
  await removeLeftovers(temporary, new Date(Date.now() - silenceMs))

  // Separate pools: slow uploads hold buffers for a long time and must not starve downloads.
  const readPool = openBufferPool()
  const writePool = openBufferPool()
  const shardOf = (key: string) => shards[hash('sha256', key, 'buffer')[0] ?? 0] ?? ''
  const pathOf = (key: string) => `${objects}/${shardOf(key)}/${nameOf(key)}`

  return {
    async put(key, body) {
      assertKey(key)
      suppressUnhandledError(body)
      const chunks = readChunks(body)
      const path = pathOf(key)
      try {
        const { value: start = [] } = await chunks.next()
        const isSmall = bytesOf(start) <= smallBytes
        if (isSmall && (await writeInPlace(path, start))) return
        await writeAside(join(temporary, randomUUID()), path, startingWith(start, chunks), writePool)
      } catch (error) {
        discard(body)
        throw unavailableOr(error)
      } finally {
        await chunks.return()
      }
    },

    async open(key, range) {
      assertKey(key)
      const file = await openIfThere(pathOf(key)).catch(refused)
      return file?.createReadStream({ ...range, highWaterMark: readBytes })
    },

    async openPieces(key, range) {
      assertKey(key)
      return openFilePieces(pathOf(key), readPool, range).catch(undefinedIfMissing).catch(refused)
    },

    async readStart(key, maxBytes) {
      assertKey(key)
      return readFileStart(pathOf(key), maxBytes).catch(undefinedIfMissing).catch(refused)
    },

    async remove(key) {
      assertKey(key)
      await rm(pathOf(key), { force: true }).catch(refused)
    },

    async *list(prefix) {
      for (const shard of shards) {
        for (const name of await readdir(join(objects, shard))) {
          const key = keyOf(name)
          if (!key.startsWith(prefix)) continue
          const info = await infoIfThere(key, join(objects, shard, name))
          if (info) yield info
        }
      }
    },

    async removeUnfinished(_prefix, before) {
      return removeLeftovers(temporary, before)
    },

    async ready() {
      const probe = join(temporary, randomUUID())
      try {
        await writeFile(probe, 'ready')
      } finally {
        await rm(probe, { force: true })
      }
    },

    async close() {},
  }
}

const shards = Array.from({ length: 256 }, (_, number) => number.toString(16).padStart(2, '0'))

/** Encodes a key as one flat filename, so that `a` and `a/b` can both exist and no key can escape its shard. */
const nameOf = (key: string) => key.replaceAll('/', '=')
const keyOf = (name: string) => name.replaceAll('=', '/')

/**
 * Writes a small file under its name, and syncs it together with its folder, because one commit of the file system's
 * journal covers both. Returns false when the file exists. Only steps that wait for the disk run on another thread:
 * creating the file, and both syncs. Writing the bytes to the page cache takes less than a round trip to another thread.
 */
async function writeInPlace(path: string, pieces: Buffer[]): Promise<boolean> {
  const file = await openFile(path, 'wx').catch(undefinedIfPresent)
  if (file === undefined) return false
  try {
    writeAllSync(file, pieces)
    await syncWithFolder(file, dirname(path))
    return true
  } catch (error) {
    await removeIncomplete(path)
    throw error
  } finally {
    closeSync(file)
  }
}

/**
 * Writes a large file, moves it to its name, and syncs its folder. It is synced before it is moved, because the sync of
 * the folder would have to wait for the bytes of other files.
 */
async function writeAside(
  aside: string,
  path: string,
  chunks: AsyncGenerator<Buffer[]>,
  pool: BufferPool,
): Promise<void> {
  const writer = openFileWriter(await openFile(aside, 'wx'), pool)
  let written = aside
  try {
    for await (const pieces of chunks) for (const piece of pieces) await writer.write(piece)
    await writer.finish()
    await rename(aside, path)
    written = path
    await syncDirectory(dirname(path))
  } catch (error) {
    await removeIncomplete(written)
    throw error
  } finally {
    await writer.close()
  }
}

/** If this fails, the orphan cleanup deletes the file. */
const removeIncomplete = (path: string) => rm(path, { force: true }).catch(() => {})

/** Syncs a file and its folder at the same time. Waits for both, even when one fails, because both must stay open. */
function syncWithFolder(file: number, folder: string): Promise<void> {
  const directory = openSync(folder, 'r')
  return new Promise<void>((resolve, reject) => {
    let failure: Error | null = null
    let left = 2
    const finish = (error: Error | null) => {
      failure ??= error
      left--
      if (left > 0) return
      closeUnchanged(directory)
      if (failure) reject(failure)
      else resolve()
    }
    fdatasync(file, finish)
    fsync(directory, finish)
  })
}

function writeAllSync(file: number, pieces: Buffer[]): void {
  for (let left = pieces; left.length > 0; ) left = after(writevSync(file, left), left)
}

function after(bytes: number, pieces: Buffer[]): Buffer[] {
  let skipped = bytes
  const index = pieces.findIndex(({ length }) => {
    if (skipped < length) return true
    skipped -= length
    return false
  })
  if (index < 0) return []
  const [first = Buffer.alloc(0), ...rest] = pieces.slice(index)
  return [first.subarray(skipped), ...rest]
}

/** Yields the start (the whole body, or just over `smallBytes`), then one chunk at a time. */
async function* readChunks(body: Bytes): AsyncGenerator<Buffer[], void, void> {
  const start: Buffer[] = []
  let bytes = 0
  // A stream of bytes yields buffers.
  for await (const chunk of body as AsyncIterable<Buffer>) {
    if (bytes > smallBytes) {
      yield [chunk]
      continue
    }
    start.push(chunk)
    bytes += chunk.length
    if (bytes > smallBytes) yield start.splice(0)
  }
  if (bytes <= smallBytes) yield start
}

/** Yields the chunks and empties the list, so that they can be freed before the end of the file. */
async function* startingWith(first: Buffer[], rest: AsyncGenerator<Buffer[]>): AsyncGenerator<Buffer[]> {
  yield first.splice(0)
  yield* rest
}

const bytesOf = (pieces: readonly Buffer[]) => pieces.reduce((sum, { length }) => sum + length, 0)

const openFile = promisify(open)
const syncNames = promisify(fsync)

async function syncDirectory(path: string): Promise<void> {
  const directory = await openFile(path, 'r')
  try {
    await syncNames(directory)
  } finally {
    closeSync(directory)
  }
}

/** Deletes unfinished files that are older than `before`. Returns the number deleted. */
async function removeLeftovers(temporary: string, before: Date): Promise<number> {
  let removed = 0
  for (const name of await readdir(temporary)) {
    const path = join(temporary, name)
    const info = await infoIfThere(name, path)
    if (!info || info.modifiedAt >= before) continue
    await rm(path, { force: true })
    removed++
  }
  return removed
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  return openHandle(path, 'r').catch(undefinedIfMissing)
}

async function infoIfThere(key: string, path: string): Promise<ObjectInfo | undefined> {
  const found = await stat(path).catch(undefinedIfMissing)
  return found && { key, bytes: found.size, modifiedAt: found.mtime }
}

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

function undefinedIfPresent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'EEXIST') throw error
}

/** Error codes of full, missing, broken or inaccessible disks, and of too many open files. */
const outages = [
  'ENOSPC',
  'EDQUOT',
  'EIO',
  'EROFS',
  'EACCES',
  'EPERM',
  'ENOENT',
  'ENODEV',
  'ESTALE',
  'EMFILE',
  'ENFILE',
]

/** Converts errors of the disk into `unavailable`. Others come from the body or are bugs. */
function unavailableOr(error: unknown): unknown {
  const isOutage = error instanceof Error && 'code' in error && outages.includes(String(error.code))
  return isOutage ? unavailable('the object store', error.message) : error
}

function refused(error: unknown): never {
  throw unavailableOr(error)
}
