import { setImmediate } from 'node:timers/promises'
import type { ImportedFinding } from '../../comparison/imported-finding.ts'

/** Target duration of a batch, which blocks other requests. The batch size is adapted to it. */
const targetMs = 10
const minBatchSize = 25
const maxBatchSize = 200
/** Maximum size of a batch in characters, because single findings may be large. */
const maxCharacters = 2 * 1024 * 1024

type Batch = readonly ImportedFinding[]

/** Processes findings in batches whose size adapts to their duration; yields to the event loop after each batch. */
export async function forEachAdaptiveBatch(
  batches: AsyncIterable<Batch>,
  { work, afterEach }: { work: (slice: Batch) => Promise<void>; afterEach: () => Promise<void> },
): Promise<void> {
  let size = minBatchSize
  async function processBatch(slice: Batch): Promise<void> {
    const since = performance.now()
    await work(slice)
    if (slice.length === size) size = nextSize(size, performance.now() - since)
    await afterEach()
    await setImmediate()
  }
  let waiting: ImportedFinding[] = []
  for await (const batch of batches) {
    waiting.push(...batch)
    while (waiting.length >= size || lengthOf(waiting) > maxCharacters) {
      const slice = waiting.slice(0, size)
      waiting = waiting.slice(slice.length)
      await processBatch(slice)
    }
  }
  if (waiting.length > 0) await processBatch(waiting)
}

const lengthOf = (findings: Batch): number =>
  findings.reduce((sum, { row = [] }) => row.reduce<number>((sum, value) => sum + lengthOfText(value), sum), 0)

const lengthOfText = (value: unknown): number => (typeof value === 'string' ? value.length : 0)

function nextSize(size: number, tookMs: number): number {
  const fitting = Math.round(size * Math.min(2, targetMs / tookMs))
  return Math.min(maxBatchSize, Math.max(minBatchSize, fitting))
}
