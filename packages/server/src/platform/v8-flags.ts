import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/*
 * All flags of V8, set at run time so that every way to start the program has them. Decision 77 has the measurements.
 */

/**
 * Sets the flags of the process, before it allocates much. A young generation that stays at 1 MiB frees the buffers of
 * uploads before V8 makes full collections because of them, and keeps 15 to 60 MB less than one that grows to 16 MiB.
 * One thread collects it, because distributing so little work takes longer.
 */
export function setProcessFlags(): void {
  areProcessFlagsSet = true
  setFlagsFromString('--semi-space-growth-factor=1')
  setFlagsFromString('--no-parallel-scavenge')
}

let areProcessFlagsSet = false

/**
 * Keeps V8 from optimizing functions until `allowOptimization` is called, for some seconds at most, because migrations may
 * take longer. Optimizing what a start repeats takes a sixth of its CPU time, and leaves 10 MB of the compiler's memory.
 */
export function postponeOptimization(): void {
  setFlagsFromString('--no-opt')
  setTimeout(allowOptimization, 5_000).unref()
}

export function allowOptimization(): void {
  setFlagsFromString('--opt')
}

/**
 * Sets the flags for the heap of a thread that is being started: its young generation has its final size, three
 * semi-spaces, from the beginning. V8 resets the growth factor when it creates the heap. Returns a function that restores
 * the flags of the process, to be called when the thread is online.
 */
export function setThreadFlags(youngMib: number): () => void {
  setFlagsFromString(`--min-semi-space-size=${Math.ceil(youngMib / 3)}`)
  return () => {
    setFlagsFromString('--min-semi-space-size=0')
    if (areProcessFlagsSet) setProcessFlags()
  }
}

/**
 * Limits the growth of the heap between two collections to a quarter of its size while the work runs, instead of V8's factor
 * of up to four. For work that allocates much more than it retains. It costs time, especially with many buffers.
 */
export async function withSmallHeap<T>(work: () => Promise<T>): Promise<T> {
  if (working++ === 0) setFlagsFromString('--heap-growing-percent=25')
  try {
    return await work()
  } finally {
    if (--working === 0) setFlagsFromString('--heap-growing-percent=0')
  }
}

let working = 0

/** Maximum number of bytes in unused buffers before a collection. */
const maxGarbageBytes = 4 * 1024 * 1024

/**
 * Returns a function to which work that reads many buffers one after the other passes the size of each buffer that it no
 * longer uses. After every 4 MiB it frees them by a minor collection, which takes less than a millisecond.
 */
export function openBufferCollector(): (unusedBytes: number) => void {
  let collect: ReturnType<typeof openGarbageCollector> | undefined
  let garbage = 0
  return (unusedBytes) => {
    garbage += unusedBytes
    if (garbage < maxGarbageBytes) return
    garbage = 0
    collect ??= openGarbageCollector()
    collect('minor')
  }
}

/**
 * Returns a function that collects the garbage of this thread, for work that allocates many buffers. Only a collection frees
 * their memory, which is outside the heap, and V8 rarely runs one when there are few other objects.
 */
export function openGarbageCollector(): (type: 'minor' | 'major') => void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options: { type: 'minor' | 'major' }) => void // defined by the flag
  return (type) => collect({ type })
}
