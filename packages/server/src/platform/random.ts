import { randomBytes } from 'node:crypto'

const poolBytes = 4096

/**
 * Returns a source of cryptographically random bytes. It generates many at a time, as `randomUUID` does, because every
 * call of the generator takes 4 µs or more. Bytes that were returned are erased from the pool.
 */
export function openRandom(): (bytes: number) => Buffer {
  let pool = Buffer.alloc(0)
  return (bytes) => {
    if (bytes > poolBytes) return randomBytes(bytes)
    if (bytes > pool.length) pool = randomBytes(poolBytes)
    const taken = Buffer.alloc(bytes)
    pool.copy(taken)
    pool.fill(0, 0, bytes)
    pool = pool.subarray(bytes)
    return taken
  }
}
