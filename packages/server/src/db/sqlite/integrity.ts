import { stat } from 'node:fs/promises'
import { openWorkers, workerBeside } from '../../platform/worker-pool.ts'
import { checkFile, type IntegrityJob } from './check-file.ts'

const workers = openWorkers<IntegrityJob, string[]>(workerBeside(import.meta.url, './integrity-worker'), {
  maxThreads: 1,
  idleMs: 1_000,
  maxWaiting: 100,
  maxHeapMib: 64,
})

/** Maximum size of a file that is checked on the main thread. A thread takes longer to start, and its 7 MB are not returned. */
const maxMainThreadBytes = 4 * 1024 * 1024

/** Checks a whole SQLite file, a large one on a worker thread. Returns the problems found. */
export async function checkIntegrity(file: string, { isThorough = false } = {}): Promise<string[]> {
  const size = await bytesOf(file)
  if (!isThorough && size <= maxMainThreadBytes) return checkFile({ file, isThorough })
  return workers.run({ file, isThorough })
}

/** Returns the size of a database with its log, 0 when it cannot be read. */
async function bytesOf(file: string): Promise<number> {
  const sizes = await Promise.all(
    [file, `${file}-wal`].map((name) =>
      stat(name).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}
