import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'

const inMemory = '/dev/shm'
const leastFree = 2 * 1024 * 1024 * 1024

/** Returns a folder in memory for temporary databases, or the default one when it is too small, as often in containers. */
export async function folderInMemory(): Promise<string> {
  const { bavail, bsize } = await statfs(inMemory).catch(() => ({ bavail: 0, bsize: 0 }))
  return bavail * bsize >= leastFree ? inMemory : tmpdir()
}
