import { closeSync, fstatSync, open, read } from 'node:fs'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import type { ByteRange, ObjectStore, Pieces } from './objects.ts'

/** Opens an object for forwarding its bytes without retaining them, in the cheapest way that the store supports. */
export async function openPieces(
  objects: ObjectStore,
  key: string,
  range?: ByteRange,
): Promise<Pieces | Readable | undefined> {
  return objects.openPieces ? objects.openPieces(key, range) : objects.open(key, range)
}

/** Opens an object like `openPieces`, with the same interface for all stores. */
export async function openReader(objects: ObjectStore, key: string, range?: ByteRange): Promise<Pieces | undefined> {
  const opened = await openPieces(objects, key, range)
  return opened instanceof Readable ? piecesOf(opened) : opened
}

const pieceBytes = 512 * 1024

/** Yields the bytes of an object. Each buffer is valid until the next one is read. Throws if the object does not exist. */
export async function* readPieces(objects: ObjectStore, key: string): AsyncGenerator<Buffer, void> {
  const pieces = await openReader(objects, key)
  if (!pieces) throw new Error(`the object ${key} is not in the object store`)
  try {
    for (let piece = await pieces.next(pieceBytes); piece; piece = await pieces.next(pieceBytes)) yield piece
  } finally {
    pieces.close()
  }
}

/** Reads the remaining bytes, which must fit in memory, and closes the reader. */
export async function readRemaining(pieces: Pieces): Promise<Buffer> {
  try {
    const read: Buffer[] = []
    // A buffer is only valid until the next read.
    for (let piece = await pieces.next(pieceBytes); piece; piece = await pieces.next(pieceBytes)) {
      read.push(Buffer.from(piece))
    }
    return Buffer.concat(read)
  } finally {
    pieces.close()
  }
}

export function piecesOf(stream: Readable): Pieces {
  stream.on('error', () => {}) // readers still receive the error
  const chunks = stream[Symbol.asyncIterator]()
  return {
    async next(maxBytes) {
      const { value: chunk }: { value?: Buffer } = await chunks.next()
      if (chunk?.length !== maxBytes - 1) return chunk
      const { value: more }: { value?: Buffer } = await chunks.next()
      return more ? Buffer.concat([chunk, more]) : chunk
    },
    close: () => void stream.destroy(),
  }
}

/** Pool of buffers for reading and writing. Allocating large buffers would cost more than filling them. */
export interface BufferPool {
  /** Returns a pooled buffer, or a smaller new one when the size is small or the pool is exhausted. */
  acquire(bytes: number): Buffer
  release(buffer: Buffer): void
}

/** One byte more than 512 KiB, so that a file of exactly this size is recognised as complete. */
const largeBytes = 512 * 1024 + 1
const smallBytes = 64 * 1024
const maxLarge = 16

export function openBufferPool(): BufferPool {
  const idle: Buffer[] = []
  let large = 0
  return {
    acquire(bytes) {
      if (bytes <= smallBytes) return Buffer.allocUnsafe(bytes)
      const buffer = idle.pop()
      if (buffer) return buffer
      if (large === maxLarge) return Buffer.allocUnsafeSlow(smallBytes)
      large++
      return Buffer.allocUnsafeSlow(largeBytes)
    },
    release(buffer) {
      if (buffer.length === largeBytes) idle.push(buffer)
    },
  }
}

/**
 * Opens a file with few round trips to other threads: one to open, and one per read. Closing a file that was only read
 * takes less time than a round trip.
 */
export async function openFilePieces(path: string, pool: BufferPool, range?: ByteRange): Promise<Pieces> {
  const file = await openFile(path, 'r')
  let position = range?.start ?? 0
  let buffer: Buffer | undefined
  let isReading = false
  let isClosed = false

  const releaseFile = () => {
    if (buffer) pool.release(buffer)
    buffer = undefined
    closeUnchanged(file)
  }

  return {
    async next(maxBytes) {
      if (isClosed) return undefined
      const left = range ? range.end + 1 - position : Number.POSITIVE_INFINITY
      if (left <= 0) return undefined
      if (buffer && maxBytes < buffer.length) {
        pool.release(buffer)
        buffer = undefined
      }
      buffer ??= pool.acquire(Math.min(maxBytes, left))
      isReading = true
      const room = Math.min(buffer.length, maxBytes, left)
      try {
        const bytes = room === maxBytes - 1 && room < left ? room - 1 : room
        const { bytesRead } = await readFile(file, buffer, 0, bytes, position)
        position += bytesRead
        return bytesRead > 0 && !isClosed ? buffer.subarray(0, bytesRead) : undefined
      } finally {
        isReading = false
        if (isClosed) releaseFile()
      }
    },
    version() {
      const { size, mtimeMs, ctimeMs, ino } = fstatSync(file)
      return [size, mtimeMs, ctimeMs, ino].join(' ')
    },
    close() {
      if (isClosed) return
      isClosed = true
      if (!isReading) releaseFile() // otherwise released once the pending read has finished
    },
  }
}

const openFile = promisify(open)
const readFile = promisify(read)

/** Reads up to `maxBytes` from the start of a file. Uses callbacks, because promises would cost as much as the read. */
export function readFileStart(path: string, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    open(path, 'r', (failure, file) => {
      if (failure) return reject(failure)
      // A buffer of the shared pool would keep all of the pool in memory.
      read(file, Buffer.allocUnsafeSlow(maxBytes), 0, maxBytes, 0, (error, bytesRead, buffer) => {
        closeUnchanged(file)
        if (error) reject(error)
        else resolve(buffer.subarray(0, bytesRead))
      })
    })
  })
}

/** Closes a file or folder that was only read. Ignores errors, which network file systems may report, because nothing is lost. */
export function closeUnchanged(file: number): void {
  try {
    closeSync(file)
  } catch {}
}
