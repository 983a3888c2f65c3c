import { setImmediate } from 'node:timers/promises'
import { type ImportedEntry, type ImportedFinding, isUnchanged } from '../../comparison/imported-finding.ts'

/** Target duration of a batch that blocks other requests. The batch size is adapted to it. */
const targetMs = 10
const minBatchSize = 25
const maxBatchSize = 200
/** Size of batches that do not block. Larger ones would keep the reader waiting. */
const concurrentBatchSize = 100
/** Maximum size of a batch in characters, because single findings may be large. */
const maxCharacters = 2 * 1024 * 1024
/** Number of findings or characters after which a series of batches ends. */
const maxSeries = { findings: 500, characters: 4 * maxCharacters }

type Batch = readonly ImportedEntry[]

/** How batches are processed. */
interface Processing {
  work: (slice: Batch) => Promise<void>
  /** Whether the work blocks the process. Otherwise all batches have the same size. */
  isBlocking: boolean
  /** Called after each series of batches. */
  endSeries: () => Promise<void>
  /** Returns true if the next batch may join the current series. */
  canContinue: () => boolean
}

/**
 * Processes findings in batches, whose size adapts to their duration if they block; yields to the event loop after each.
 * Consecutive batches form a series. A series ends before waiting for further findings.
 */
export async function forEachAdaptiveBatch(
  batches: AsyncIterable<Batch>,
  { work, isBlocking, endSeries, canContinue }: Processing,
): Promise<void> {
  let size = isBlocking ? minBatchSize : concurrentBatchSize
  const series = { findings: 0, characters: 0 }
  async function endIfBegun(): Promise<void> {
    if (series.findings === 0) return
    Object.assign(series, { findings: 0, characters: 0 })
    await endSeries()
  }
  async function processBatch(slice: Batch): Promise<void> {
    const since = performance.now()
    await work(slice)
    if (isBlocking && slice.length === size) size = nextSize(size, performance.now() - since)
    series.findings += slice.length
    series.characters += lengthOf(slice)
    await setImmediate()
    const isFull = series.findings >= maxSeries.findings || series.characters >= maxSeries.characters
    if (isFull || !canContinue()) await endIfBegun()
  }
  let waiting: ImportedEntry[] = []
  for await (const batch of prefetched(batches, endIfBegun)) {
    waiting.push(...batch)
    while (waiting.length >= size || lengthOf(waiting) > maxCharacters) {
      const slice = waiting.slice(0, size)
      waiting = waiting.slice(slice.length)
      await processBatch(slice)
    }
  }
  if (waiting.length > 0) await processBatch(waiting)
  await endIfBegun()
}

/** Requests each batch while the previous one is processed. Calls `beforeWait` if the next batch is not available yet. */
async function* prefetched(batches: AsyncIterable<Batch>, beforeWait: () => Promise<void>): AsyncGenerator<Batch> {
  const iterator = batches[Symbol.asyncIterator]()
  const request = () => {
    const next = { result: iterator.next(), hasArrived: false }
    const arrive = () => {
      next.hasArrived = true
    }
    next.result.then(arrive, arrive)
    return next
  }
  try {
    for (let next = request(); ; ) {
      // A batch that another thread has sent arrives after the pending callbacks.
      if (!next.hasArrived) await setImmediate()
      if (!next.hasArrived) await beforeWait()
      const { done, value } = await next.result
      if (done) return
      next = request()
      yield value
    }
  } finally {
    // Not awaited, because a request may still wait for a batch that no one sends.
    iterator.return?.().catch(() => {})
  }
}

const lengthOf = (findings: Batch): number =>
  findings.reduce((sum, entry) => (isUnchanged(entry) ? sum : lengthOfRow(entry, sum)), 0)

const lengthOfRow = ({ row = [] }: ImportedFinding, sum: number): number =>
  row.reduce<number>((sum, value) => sum + lengthOfText(value), sum)

const lengthOfText = (value: unknown): number => (typeof value === 'string' ? value.length : 0)

function nextSize(size: number, tookMs: number): number {
  const fitting = Math.round(size * Math.min(2, targetMs / tookMs))
  return Math.min(maxBatchSize, Math.max(minBatchSize, fitting))
}
