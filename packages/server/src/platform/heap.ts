import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * Lets the heap grow by half between two collections while the work lasts, and not to four times its size as V8 likes
 * it: for work that goes through much more than it keeps. It costs time, above all where buffers pass by.
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

/** Where young generations are small, to share a collection among threads takes longer than to do it alone. */
export const collectAlone = (): void => setFlagsFromString('--no-parallel-scavenge')

/**
 * Gives a function that collects the young generation of this thread, for work through which many buffers pass: they lie outside of
 * the heap and are free only after a collection, which V8 does as seldom as there are few objects beside them.
 */
export function openYoungCollector(): () => void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options: { type: 'minor' }) => void // what the flag makes
  return () => collect({ type: 'minor' })
}
