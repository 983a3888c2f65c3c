import { openWorkers, workerBeside } from '../../platform/worker-pool.ts'

export interface IntegrityJob {
  file: string
  /** Whether to also compare each index with its table, which takes several times as long. */
  isThorough: boolean
}

const workers = openWorkers<IntegrityJob, string[]>(workerBeside(import.meta.url, './integrity-worker'), {
  maxThreads: 1,
  idleMs: 1_000,
  maxWaiting: 100,
  maxHeapMib: 64,
})

/** Checks a whole SQLite file on a worker thread. Returns the problems found. */
export async function checkIntegrity(file: string, { isThorough = false } = {}): Promise<string[]> {
  return workers.run({ file, isThorough })
}
