import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Limits the growth of the heap between two collections to half of its size while the work runs, instead of V8's factor
 * of up to four. For work that allocates much more than it retains. It costs time, especially with many buffers.
 */
export async function withSmallHeap<T>(work: () => Promise<T>): Promise<T> {
  if (working++ === 0) setFlagsFromString('--heap-growing-percent=50')
  try {
    return await work()
  } finally {
    if (--working === 0) setFlagsFromString('--heap-growing-percent=0')
  }
}

let working = 0

/** Disables parallel collection, which takes longer than a single thread for small young generations. */
export const collectAlone = (): void => setFlagsFromString('--no-parallel-scavenge')

/**
 * Returns a function that collects the young generation of this thread, for work that allocates many buffers. Their
 * memory is outside the heap and only freed by a collection, which V8 rarely runs when there are few other objects.
 */
export function openYoungCollector(): () => void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options: { type: 'minor' }) => void // defined by the flag
  return () => collect({ type: 'minor' })
}
