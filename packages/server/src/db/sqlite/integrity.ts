import { openWorkers, workerBeside } from '../../platform/worker-pool.ts'

export interface IntegrityJob {
  file: string
  /** Also compares each index with its table, which takes several times as long. */
  isThorough: boolean
}

const workers = openWorkers<IntegrityJob, string[]>(workerBeside(import.meta.url, './integrity-worker'), {
  most: 1,
  idleMs: 1_000,
  maxWaiting: 100,
  maxHeapMib: 64,
})

/** Reads a whole SQLite file on another thread and returns what is wrong with it; nothing when it is sound. */
export async function checkIntegrity(file: string, { isThorough = false } = {}): Promise<string[]> {
  return workers.run({ file, isThorough })
}
