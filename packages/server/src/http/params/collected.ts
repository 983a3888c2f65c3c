import type { Failure } from '../../platform/failure.ts'

/** A buffer that doubles when it is full, so that memory depends on the number of bytes and not of chunks. */
export interface Collected {
  /** Appends a chunk. Throws when the limit is exceeded. */
  add(chunk: Uint8Array): void
  bytes(): Buffer
}

export function openCollected(maxBytes: number, passed: () => Failure): Collected {
  let buffer = Buffer.alloc(0)
  let length = 0
  return {
    add(chunk) {
      const needed = length + chunk.length
      if (needed > maxBytes) throw passed()
      if (needed > buffer.length) {
        const larger = Buffer.allocUnsafe(Math.max(needed, Math.min(maxBytes, 2 * buffer.length)))
        buffer.copy(larger, 0, 0, length)
        buffer = larger
      }
      buffer.set(chunk, length)
      length = needed
    },
    bytes: () => buffer.subarray(0, length),
  }
}
