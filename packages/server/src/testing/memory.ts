import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'

const inMemory = '/dev/shm'
const leastFree = 2 * 1024 * 1024 * 1024

/** Where hundreds of databases come and go without a disk; in containers it is often too small, then the usual folder. */
export async function folderInMemory(): Promise<string> {
  const { bavail, bsize } = await statfs(inMemory).catch(() => ({ bavail: 0, bsize: 0 }))
  return bavail * bsize >= leastFree ? inMemory : tmpdir()
}
