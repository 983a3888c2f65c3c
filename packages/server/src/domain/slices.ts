import { setImmediate } from 'node:timers/promises'

const sliceSize = 250

/** Works through a long list some at a time; in between, other requests have their turn. */
export async function inSlices<T>(all: readonly T[], work: (slice: readonly T[]) => Promise<void>): Promise<void> {
  for (let start = 0; start < all.length; start += sliceSize) {
    await work(all.slice(start, start + sliceSize))
    await setImmediate()
  }
}
