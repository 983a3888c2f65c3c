import { setImmediate } from 'node:timers/promises'

const sliceSize = 250

/** Works through a long list some at a time, what is large alone; in between, other requests have their turn. */
export async function inSlices<T>(
  all: readonly T[],
  work: (slice: readonly T[]) => Promise<void>,
  isLarge: (one: T) => boolean = () => false,
): Promise<void> {
  for (let start = 0; start < all.length; ) {
    const slice = all.slice(start, start + sliceSize)
    const large = slice.findIndex(isLarge)
    const taken = large < 0 ? slice : slice.slice(0, Math.max(1, large))
    await work(taken)
    start += taken.length
    await setImmediate()
  }
}
