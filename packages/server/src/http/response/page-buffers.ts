import type { ServerResponse } from 'node:http'

/** Smaller buffers are cheap to allocate. */
const minBytes = 8 * 1024
/** Larger buffers would fill the pool. */
const maxBytes = 1024 * 1024
/** Maximum total size of idle buffers: about fifty pages of 75 KB. */
const maxIdleBytes = 4 * 1024 * 1024

/**
 * Opens a pool of buffers for pages that are not cached. V8 counts the memory of new buffers, and collects the whole heap
 * several times per second when thousands of pages per second each allocate one.
 */
export function openPageBuffers() {
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
    makeRoom(size)
    if (idleBytes + size > maxIdleBytes) return
    idleBytes += size
    const others = idle.get(size)
    if (others) others.push(buffer)
    else idle.set(size, [buffer])
  }

  /** Drops idle buffers of other sizes, which pages of another list may have left, until there is room. */
  function makeRoom(size: number): void {
    for (const [otherSize, buffers] of idle) {
      if (otherSize === size) continue
      while (idleBytes + size > maxIdleBytes && buffers.pop()) idleBytes -= otherSize
      if (buffers.length > 0) return
      idle.delete(otherSize)
    }
  }

  return {
    /** Returns a buffer that is reused once the response has been sent. The caller must not keep it. */
    acquireUntilSent(response: ServerResponse, bytes: number): Buffer {
      if (bytes < minBytes || bytes > maxBytes) return Buffer.allocUnsafeSlow(bytes)
      const buffer = acquire(roundedUp(bytes))
      // At `finish` the operating system has accepted all bytes. The buffer of an aborted response is not reused.
      response.once('finish', () => release(buffer))
      return buffer.subarray(0, bytes)
    },
  }
}

/** Rounds up to one of four sizes between two powers of two, so that pages of nearly the same length share buffers. */
function roundedUp(bytes: number): number {
  const step = 2 ** (29 - Math.clz32(bytes))
  return Math.ceil(bytes / step) * step
}
