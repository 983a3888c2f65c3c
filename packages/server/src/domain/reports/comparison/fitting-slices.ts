import { setImmediate } from 'node:timers/promises'
import type { ImportedFinding } from './imported-finding.ts'

/** Target duration of a batch, which blocks other requests. The batch size is adapted to it. */
const turnMs = 10
const fewestAtOnce = 25
const mostAtOnce = 200
/** Maximum size of a batch in characters, because single findings may be large. */
const mostCharacters = 2 * 1024 * 1024

type Slice = readonly ImportedFinding[]

/** Processes findings in batches whose size adapts to their duration; yields to the event loop after each batch. */
export async function inFittingSlices(
  batches: AsyncIterable<Slice>,
  { work, afterEach }: { work: (slice: Slice) => Promise<void>; afterEach: () => Promise<void> },
): Promise<void> {
  let size = fewestAtOnce
  async function take(slice: Slice): Promise<void> {
    const since = performance.now()
    await work(slice)
    if (slice.length === size) size = nextSize(size, performance.now() - since)
    await afterEach()
    await setImmediate()
  }
  let waiting: ImportedFinding[] = []
  for await (const batch of batches) {
    waiting.push(...batch)
    while (waiting.length >= size || lengthOf(waiting) > mostCharacters) {
      const slice = waiting.slice(0, size)
      waiting = waiting.slice(slice.length)
      await take(slice)
    }
  }
  if (waiting.length > 0) await take(waiting)
}

const lengthOf = (findings: Slice): number => findings.reduce((sum, { row }) => sum + row.length, 0)

function nextSize(size: number, tookMs: number): number {
  const fitting = Math.round(size * Math.min(2, turnMs / tookMs))
  return Math.min(mostAtOnce, Math.max(fewestAtOnce, fitting))
}
