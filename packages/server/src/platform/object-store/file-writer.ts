import { closeSync, fdatasync, write } from 'node:fs'
import { promisify } from 'node:util'
import { openBufferCollector } from '../v8-flags.ts'
import type { BufferPool } from './pieces.ts'

/** Number of bytes per write, because each one is a round trip to another thread. */
const bufferBytes = 512 * 1024
/** Number of bytes after which a sync is started. */
const syncIntervalBytes = 16 * 1024 * 1024

/** Writer of one large file. */
export interface FileWriter {
  /** Copies the chunk. The caller must await each call before the next. */
  write(chunk: Buffer): Promise<void>
  /** Writes the remaining bytes and syncs the file. */
  finish(): Promise<void>
  /** Closes the file and returns the buffers to the pool. Must always be called. */
  close(): Promise<void>
}

/**
 * Opens a writer of a file. Receiving, writing and syncing overlap, so that little remains to be synced at the end. Chunks
 * are copied into two pooled buffers, so that they can be freed right away. Chunks that survive two minor collections move
 * to V8's old generation, which then needs a full collection every few files.
 */
export function openFileWriter(descriptor: number, pool: BufferPool): FileWriter {
  let filling = pool.acquire(bufferBytes)
  let filledBytes = 0
  let spare: Buffer | undefined
  let writing: Promise<void> | undefined
  let syncing: Promise<void> | undefined
  let unsyncedBytes = 0

  async function flush(): Promise<void> {
    await writing
    writing = suppressUnhandledRejection(writeAll(descriptor, filling.subarray(0, filledBytes)))
    const next = spare ?? pool.acquire(bufferBytes)
    spare = filling
    filling = next
    unsyncedBytes += filledBytes
    filledBytes = 0
    if (unsyncedBytes < syncIntervalBytes) return
    await Promise.all([writing, syncing])
    syncing = suppressUnhandledRejection(syncFile(descriptor))
    unsyncedBytes = 0
  }

  return {
    async write(chunk) {
      for (let at = 0; at < chunk.length; ) {
        const capacityBytes = Math.min(filling.length, bufferBytes)
        const copiedBytes = chunk.copy(filling, filledBytes, at, at + capacityBytes - filledBytes)
        at += copiedBytes
        filledBytes += copiedBytes
        if (filledBytes === capacityBytes) await flush()
      }
      collectBuffers(chunk.length)
    },

    async finish() {
      if (filledBytes > 0) await flush()
      await Promise.all([writing, syncing])
      await syncFile(descriptor)
    },

    async close() {
      await Promise.allSettled([writing, syncing]) // a pending write must not reach a reused descriptor or buffer
      pool.release(filling)
      if (spare) pool.release(spare)
      closeSync(descriptor)
    },
  }
}

/** Shared by all writers: a single file rarely reaches the threshold for a collection. */
const collectBuffers = openBufferCollector()

const syncFile = promisify(fdatasync)
const writeBytes = promisify(write)

/** Writes all bytes. The system may write a part; if it writes nothing, the next attempt reports the reason. */
async function writeAll(descriptor: number, bytes: Buffer): Promise<void> {
  for (let left = bytes; left.length > 0; ) {
    const { bytesWritten } = await writeBytes(descriptor, left)
    left = left.subarray(bytesWritten)
  }
}

/** Prevents an unhandled rejection of work that is awaited later. */
function suppressUnhandledRejection(work: Promise<void>): Promise<void> {
  work.catch(() => {})
  return work
}
