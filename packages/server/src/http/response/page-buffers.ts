import type { ServerResponse } from 'node:http'

/** Smaller buffers cost little to allocate; larger ones would leave room for few others. */
const minBytes = 8 * 1024
const maxBytes = 1024 * 1024
/** Maximum total size of the idle buffers: about thirty pages of 75 KB, which take 128 KB each. */
const maxIdleBytes = 4 * 1024 * 1024

/**
 * Opens a pool of buffers for pages that are not cached. V8 counts the memory of new buffers, and collects the whole heap
 * several times per second when thousands of pages per second each allocate one.
 */
export function openPageBuffers() {
  /** Buffers by size, which is a power of two. */
  const idle = new Map<number, Buffer[]>()
  let idleBytes = 0

  function acquire(size: number): Buffer {
    const buffer = idle.get(size)?.pop()
    if (!buffer) return Buffer.allocUnsafeSlow(size)
    idleBytes -= size
    return buffer
  }

  function release(buffer: Buffer): void {
    const size = buffer.length
    if (idleBytes + size > maxIdleBytes) return
    idleBytes += size
    const others = idle.get(size)
    if (others) others.push(buffer)
    else idle.set(size, [buffer])
  }

  return {
    /** Returns a buffer that is used again after the response has been sent, and so must not be kept. */
    acquireUntilSent(response: ServerResponse, bytes: number): Buffer {
      if (bytes < minBytes || bytes > maxBytes) return Buffer.allocUnsafeSlow(bytes)
      const buffer = acquire(powerOfTwo(bytes))
      // The system has all bytes then. A response that is aborted leaves its buffer to the garbage collector.
      response.once('finish', () => release(buffer))
      return buffer.subarray(0, bytes)
    },
  }
}

/** Returns the smallest power of two that is not smaller than the integer. */
const powerOfTwo = (integer: number): number => 2 ** (32 - Math.clz32(integer - 1))
