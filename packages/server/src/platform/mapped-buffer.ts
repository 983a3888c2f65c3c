/** Minimum size of a mapped buffer. A smaller one would not be worth two system calls. */
const minMappedBytes = 256 * 1024

/**
 * Allocates a buffer. One of at least 256 KiB can be resized, so V8 gives it a memory mapping of its own, which `releaseMapped` or a
 * garbage collection returns to the system. The C library may keep the memory of an ordinary buffer (decision 143).
 * JavaScript reads single bytes of a buffer that can be resized more slowly.
 */
export function allocateMapped(bytes: number): ArrayBuffer {
  return bytes < minMappedBytes ? new ArrayBuffer(bytes) : new ArrayBuffer(bytes, { maxByteLength: bytes })
}

/** Returns the memory of a mapped buffer to the system without a garbage collection. The buffer is empty afterwards. */
export function releaseMapped(buffer: ArrayBuffer): void {
  if (buffer.resizable) buffer.resize(0)
}
