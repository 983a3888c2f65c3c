import { closeSync, fdatasync, write } from 'node:fs'
import { promisify } from 'node:util'
import { openBufferCollector } from '../v8-flags.ts'
import type { BufferPool } from './pieces.ts'

/** Number of bytes per write, because each one is a round trip to another thread. */
const writtenBytes = 512 * 1024
/** Number of bytes after which a sync is started. */
const syncedBytes = 16 * 1024 * 1024

/** Writer of one large file. */
export interface FileWriter {
  /** Copies the chunk. The caller must wait before it passes the next one. */
  write(chunk: Buffer): Promise<void>
  /** Waits until all bytes are on the disk. */
  finish(): Promise<void>
  /** Waits for unfinished work and closes the file. */
  close(): Promise<void>
}

/**
 * Opens a writer of a file. Receiving, writing and syncing overlap, so that little remains to be synced at the end. Copying
 * the chunks into two buffers of the pool makes them garbage at once. Chunks that are still in use after two minor
 * collections move to V8's old generation, which then needs a full collection for every few files.
 */
export function openFileWriter(file: number, pool: BufferPool): FileWriter {
  let filling = pool.acquire(writtenBytes)
  let filledBytes = 0
  let spare: Buffer | undefined
  let writing: Promise<void> | undefined
  let syncing: Promise<void> | undefined
  let unsyncedBytes = 0

  async function flush(): Promise<void> {
    await writing
    writing = suppressUnhandledRejection(writeAll(file, filling.subarray(0, filledBytes)))
    const free = spare ?? pool.acquire(writtenBytes)
    spare = filling
    filling = free
    unsyncedBytes += filledBytes
    filledBytes = 0
    if (unsyncedBytes < syncedBytes) return
    await Promise.all([writing, syncing])
    syncing = suppressUnhandledRejection(syncFile(file))
    unsyncedBytes = 0
  }

  return {
    async write(chunk) {
      for (let at = 0; at < chunk.length; ) {
        const sizeBytes = Math.min(filling.length, writtenBytes)
        const copiedBytes = chunk.copy(filling, filledBytes, at, at + sizeBytes - filledBytes)
        at += copiedBytes
        filledBytes += copiedBytes
        if (filledBytes === sizeBytes) await flush()
      }
      collectBuffers(chunk.length)
    },

    async finish() {
      if (filledBytes > 0) await flush()
      await Promise.all([writing, syncing])
      await syncFile(file)
    },

    async close() {
      await Promise.allSettled([writing, syncing]) // the file number may be reused
      pool.release(filling)
      if (spare) pool.release(spare)
      closeSync(file) // the system reports errors of writes to `finish`, so this does not wait for the disk
    },
  }
}

/** Shared by all writers, because the chunks of one file may be few. */
const collectBuffers = openBufferCollector()

const syncFile = promisify(fdatasync)
const writeBytes = promisify(write)

/** Writes all bytes. The system may write a part; if it writes nothing, the next attempt reports the reason. */
async function writeAll(file: number, bytes: Buffer): Promise<void> {
  for (let left = bytes; left.length > 0; ) {
    const { bytesWritten } = await writeBytes(file, left)
    left = left.subarray(bytesWritten)
  }
}

/** Prevents an unhandled rejection of work that is awaited later. */
function suppressUnhandledRejection(work: Promise<void>): Promise<void> {
  work.catch(() => {})
  return work
}
