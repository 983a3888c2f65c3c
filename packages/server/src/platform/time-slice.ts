import { setImmediate } from 'node:timers/promises'

/** Maximum time between two yields to the event loop. */
const maxSliceMs = 8

export interface TimeSlice {
  isOver: () => boolean
  /** Yields to the event loop and starts the next slice. */
  next: () => Promise<void>
}

/** Divides long work into slices, so that other requests continue between them. Check the slice after every item. */
export function startTimeSlice(): TimeSlice {
  let since = performance.now()
  return {
    isOver: () => performance.now() - since >= maxSliceMs,
    async next() {
      await setImmediate()
      since = performance.now()
    },
  }
}
