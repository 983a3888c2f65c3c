import { setImmediate } from 'node:timers/promises'

export interface PromotionBatch {
  position: number
  findingIds: readonly number[]
}

/**
 * Maximum number of findings that are promoted in the calling transaction; larger selections are split into batches.
 */
export const maxAtOnce = 500

/** Findings per transaction, which blocks other writers. */
const sliceSize = 100

/** Splits findings into batches, and yields as many batches as one statement inserts. */
export function* batchesOf(findingIds: readonly number[], atOnce: number): Generator<PromotionBatch[], void> {
  const step = sliceSize * atOnce
  for (let start = 0; start < findingIds.length; start += step) {
    const slices: PromotionBatch[] = []
    for (let at = start; at < Math.min(start + step, findingIds.length); at += sliceSize) {
      slices.push({ position: at / sliceSize, findingIds: findingIds.slice(at, at + sliceSize) })
    }
    yield slices
  }
}

/** Batches per run of the job. After each run the job is queued again, so that other jobs get their turn. */
const batchesPerRun = 20

/** Promotes batches for one run of a job; returns true when none is left. `promoteNext` returns false in that case. */
export async function promoteBatches(signal: AbortSignal, promoteNext: () => Promise<boolean>): Promise<boolean> {
  for (let slice = 0; slice < batchesPerRun; slice++) {
    signal.throwIfAborted()
    if (!(await promoteNext())) return true
    await setImmediate()
  }
  return false
}
