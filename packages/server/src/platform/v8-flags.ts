import { constants, type NodeGCPerformanceDetail, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/*
 * All flags of V8, set at run time so that every way to start the program has them. Decision 77 has the measurements.
 */

/**
 * Sets the flags of the process, before it allocates much. A young generation that stays at 1 MiB frees the buffers of
 * uploads before V8 makes full collections because of them, and keeps 15 to 60 MB less than one that grows to 16 MiB.
 * `enlargeYoungGenerationUnderLoad` lets it grow while that is worth its memory. One thread collects it, because
 * distributing so little work takes longer.
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
 * Sets the flags of the process again every millisecond while a thread starts, because V8 resets the growth factor when it creates the
 * heap of the thread. Before the timer runs, the young generation of a busy main thread can double once. Returns a function that
 * stops this, to be called when the thread is online or has ended.
 */
export function repeatProcessFlags(): () => void {
  let timer = areProcessFlagsSet ? setInterval(setProcessFlags, 1).unref() : undefined
  return () => {
    if (!timer) return
    clearInterval(timer)
    timer = undefined
    setProcessFlags()
  }
}

/** Minimum number of minor collections per second for the young generation to grow. V8 runs one per MiB of new objects. */
const busyCollections = 20
const observedMs = 1000

/**
 * Lets the young generation grow to V8's maximum of 16 MiB while the process allocates much. Load does not enlarge it in `withSmallHeap`.
 * The objects of many concurrent requests do not fit into 1 MiB, so each collection copies them and then promotes them to
 * the old generation, which costs up to a third of the CPU time of short requests. V8 shrinks the young generation again
 * after the process has been idle for about a minute and a half.
 */
export function enlargeYoungGenerationUnderLoad(): void {
  let collections = 0
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (isLoad(entry)) collections++
  })
  observer.observe({ entryTypes: ['gc'] })
  setInterval(() => {
    const mayGrow = collections >= busyCollections && working === 0
    collections = 0
    setFlagsFromString(`--semi-space-growth-factor=${mayGrow ? 2 : 1}`)
  }, observedMs).unref()
}

/** Returns true for a minor collection that V8 started, not `openBufferCollector`, outside of `withSmallHeap`. */
function isLoad(entry: PerformanceEntry): boolean {
  const { kind, flags } = (entry as PerformanceEntry & { detail: NodeGCPerformanceDetail }).detail // documented for entries of the type `gc`
  const isOwn =
    kind === constants.NODE_PERFORMANCE_GC_MINOR && (flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) === 0
  return isOwn && entry.startTime >= workEndedAt && working === 0
}

/** Size of each of the two semi-spaces of the young generation during an import. */
const importSemiSpaceBytes = 4 * 1024 * 1024

/** Size of an object with one property and of its place in a list. */
const survivorBytes = 40

/**
 * Enlarges the young generation to the size for an import, unless it is larger. V8 multiplies its size by the growth factor at the
 * beginning of a minor collection if more bytes than its capacity have survived earlier ones. So this function allocates such
 * survivors, and runs one or two collections.
 */
function growYoungGeneration(collect: ReturnType<typeof openGarbageCollector>): void {
  collect('minor') // Before the first collection V8 has only one semi-space.
  const size = semiSpaceBytes()
  const factor = Math.floor(importSemiSpaceBytes / size)
  if (factor <= 1) return
  setFlagsFromString(`--semi-space-growth-factor=${factor}`)
  const survivors = Array.from({ length: (2 * size) / survivorBytes }, (_, index) => ({ index }))
  for (let run = 0; run < 2 && semiSpaceBytes() < importSemiSpaceBytes; run++) collect('minor')
  setFlagsFromString('--semi-space-growth-factor=1')
  survivors.length = 0
}

function semiSpaceBytes(): number {
  const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
  if (!young) throw new Error('V8 has no young generation')
  return young.space_size / 2
}

/** Maximum heap that is collected when work begins. The collection blocks the thread for about a millisecond per MB. */
const maxCollectedBytes = 48 * 1024 * 1024

/**
 * Limits the growth of the heap between two collections to a quarter of its size while the work runs, instead of V8's factor
 * of up to four. For work that allocates much more than it retains. It costs time, especially with many buffers. Enlarges the
 * young generation to 2 × 4 MiB first, unless memory is more important: with less, an import takes 6 to 8 % more CPU time
 * (decision 167).
 */
export async function withSmallHeap<T>(work: () => Promise<T>, { isYoungSmall = false } = {}): Promise<T> {
  working++
  try {
    if (working === 1) limitHeap({ isYoungSmall })
    return await work()
  } finally {
    if (--working === 0) {
      setFlagsFromString('--heap-growing-percent=0')
      workEndedAt = performance.now()
    }
  }
}

let working = 0
let workEndedAt = 0

function limitHeap({ isYoungSmall }: { isYoungSmall: boolean }): void {
  setFlagsFromString('--heap-growing-percent=25')
  setFlagsFromString('--semi-space-growth-factor=1')
  const collect = openGarbageCollector()
  if (!isYoungSmall) growYoungGeneration(collect)
  // V8 computes the next limit at the end of each collection, so the new factor has no effect before the first one.
  if (getHeapStatistics().used_heap_size <= maxCollectedBytes) collect('major')
}

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
  const collect = runInNewContext('gc') as (options?: { type: 'minor' }) => void // defined by the flag
  // V8 11, which is in Node 20, runs a minor collection when the type is `major`.
  return (type) => (type === 'major' ? collect() : collect({ type }))
}
