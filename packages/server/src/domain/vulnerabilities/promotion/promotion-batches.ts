import { setImmediate } from 'node:timers/promises'

export interface PromotionSlice {
  position: number
  findingIds: readonly number[]
}

/** More than these are promoted in slices; fewer by one transaction, with all else that it does. */
export const mostAtOnce = 500

/** What one transaction promotes is time that other writers wait. */
const sliceSize = 100

/** The slices in which many findings will be promoted, as many at once as one statement writes down. */
export function* slicesOf(findingIds: readonly number[], atOnce: number): Generator<PromotionSlice[], void> {
  const step = sliceSize * atOnce
  for (let start = 0; start < findingIds.length; start += step) {
    const slices: PromotionSlice[] = []
    for (let at = start; at < Math.min(start + step, findingIds.length); at += sliceSize) {
      slices.push({ position: at / sliceSize, findingIds: findingIds.slice(at, at + sliceSize) })
    }
    yield slices
  }
}

/** Then the job begins anew: what is done is done, and who waits for a turn has it. */
const slicesInARun = 20

/** Promotes slice after slice, for one run of a job; true when none is left. `promoteNext` says whether there was one. */
export async function promoteSlices(signal: AbortSignal, promoteNext: () => Promise<boolean>): Promise<boolean> {
  for (let slice = 0; slice < slicesInARun; slice++) {
    signal.throwIfAborted()
    if (!(await promoteNext())) return true
    await setImmediate()
  }
  return false
}
