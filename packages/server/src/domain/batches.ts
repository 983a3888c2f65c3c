import { setImmediate } from 'node:timers/promises'

const sliceSize = 250

/** Yields the items in lists of at most this number. */
export function* batchesOf<T>(all: readonly T[], size: number): Generator<readonly T[]> {
  for (let start = 0; start < all.length; start += size) yield all.slice(start, start + size)
}

/** Processes a long list in batches and yields to the event loop between them. A large item gets a batch of its own. */
export async function forEachBatch<T>(
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
