import { close, open, read } from 'node:fs'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import type { ByteRange, ObjectStore, Pieces } from './objects.ts'

/** For whoever passes the bytes on and keeps none of them: the cheapest that the store has. */
export async function openPieces(
  objects: ObjectStore,
  key: string,
  range?: ByteRange,
): Promise<Pieces | Readable | undefined> {
  return objects.openPieces ? objects.openPieces(key, range) : objects.open(key, range)
}

export function piecesOf(stream: Readable): Pieces {
  stream.on('error', () => {}) // it may fail when nobody reads; whoever does hears it
  const chunks = stream[Symbol.asyncIterator]()
  return {
    async next(mostBytes) {
      const { value: chunk }: { value?: Buffer } = await chunks.next()
      if (chunk?.length !== mostBytes - 1) return chunk
      const { value: more }: { value?: Buffer } = await chunks.next()
      return more ? Buffer.concat([chunk, more]) : chunk
    },
    close: () => void stream.destroy(),
  }
}

/** Buffers that many readers use in turn: new ones of this size cost more than filling them. */
export interface Lender {
  /** One of them, or where so much is not needed, or nothing is left, a smaller new one. */
  borrow(bytes: number): Buffer
  giveBack(buffer: Buffer): void
}

/** One byte more than files of whole kibibytes have: a file that goes on after its end is noticed. */
const largeBytes = 512 * 1024 + 1
const smallBytes = 64 * 1024
const mostLarge = 16

export function openLender(): Lender {
  const idle: Buffer[] = []
  let large = 0
  return {
    borrow(bytes) {
      if (bytes <= smallBytes) return Buffer.allocUnsafe(bytes)
      const buffer = idle.pop()
      if (buffer) return buffer
      if (large === mostLarge) return Buffer.allocUnsafeSlow(smallBytes)
      large++
      return Buffer.allocUnsafeSlow(largeBytes)
    },
    giveBack(buffer) {
      if (buffer.length === largeBytes) idle.push(buffer)
    },
  }
}

/** Every trip to another thread counts here: one to open, one for each piece, and one to close that nobody waits for. */
export async function openFilePieces(path: string, lender: Lender, range?: ByteRange): Promise<Pieces> {
  const file = await openFile(path, 'r')
  let position = range?.start ?? 0
  let buffer: Buffer | undefined
  let isReading = false
  let isClosed = false

  const letGo = () => {
    if (buffer) lender.giveBack(buffer)
    buffer = undefined
    close(file, () => {})
  }

  return {
    async next(mostBytes) {
      if (isClosed) return undefined
      const left = range ? range.end + 1 - position : Number.POSITIVE_INFINITY
      if (left <= 0) return undefined
      if (buffer && mostBytes < buffer.length) {
        lender.giveBack(buffer)
        buffer = undefined
      }
      buffer ??= lender.borrow(Math.min(mostBytes, left))
      isReading = true
      const room = Math.min(buffer.length, mostBytes, left)
      try {
        const bytes = room === mostBytes - 1 && room < left ? room - 1 : room
        const { bytesRead } = await readFile(file, buffer, 0, bytes, position)
        position += bytesRead
        return bytesRead > 0 && !isClosed ? buffer.subarray(0, bytesRead) : undefined
      } finally {
        isReading = false
        if (isClosed) letGo()
      }
    },
    close() {
      if (isClosed) return
      isClosed = true
      if (!isReading) letGo() // else once what is being read has arrived in the buffer
    },
  }
}

const openFile = promisify(open)
const readFile = promisify(read)
