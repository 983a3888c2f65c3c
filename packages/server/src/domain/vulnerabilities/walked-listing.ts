import type { Code } from './codes.ts'
import { heldListing, indexAfter, type Listing, type Reader, readSlice, testedListing } from './held-listing.ts'
import type { Position } from './list-queries.ts'

/** How far a long list is known, as codes. */
export interface Walk {
  /** Its first rows, and the last one looked at on the way to them. */
  known: number[]
  last: Position | undefined
  /** All of it; nothing else is needed then. */
  whole: Float64Array | undefined
  /** Somebody is about to know more. */
  step: Promise<void> | undefined
}

export function beginWalk(): Walk {
  return { known: [], last: undefined, whole: undefined, step: undefined }
}

/** In codes. An array that grows has half as much again in reserve. */
export function weighWalk({ known, whole }: Walk): number {
  return 1 + (whole ? whole.length : known.length * 1.5)
}

interface Walked {
  read: Reader
  gatherWhole: () => Promise<Float64Array>
  code: Code
  walk: Walk
  grown: () => void
}

/** Rows found in one step, before others have their turn. */
const mostAtOnce = 500

/** A long list, of which nothing is read twice: what was asked for once is known, and all that comes before it. */
export function walkedListing({ read, gatherWhole, code, walk, grown }: Walked): Listing {
  const beyond = testedListing(read, wholeListing)
  return {
    // Also when all of it is known: whether a total is told must not depend on what was asked before.
    total: undefined,
    async at(offset, rows) {
      await goTo(offset + rows)
      return readSlice(walk.whole ?? walk.known, code, offset, rows)
    },
    async next(after, rows) {
      if (!isKnown(after)) return beyond.next(after, rows)
      const find = () => indexAfter(walk.whole ?? walk.known, code, after)
      await goTo(find() + rows)
      return readSlice(walk.whole ?? walk.known, code, find(), rows)
    },
  }

  /** Whether what follows it follows what is known, without a gap. */
  function isKnown(position: Position | undefined): boolean {
    if (!position || walk.whole) return true
    const last = walk.known.at(-1)
    return last !== undefined && code.of(position) <= last
  }

  async function goTo(end: number): Promise<void> {
    while (!walk.whole && walk.known.length < end) {
      const missing = end - walk.known.length
      await together(() => goOn(Math.min(missing, mostAtOnce)))
    }
  }

  async function goOn(rows: number): Promise<void> {
    const found = await read(walk.last, rows)
    if (found === 'too many passed by') return gather()
    for (const position of found.found) walk.known.push(code.of(position))
    walk.last = found.last
    if (found.isOver) hold(new Float64Array(walk.known))
  }

  async function gather(): Promise<void> {
    hold(await gatherWhole())
  }

  function hold(whole: Float64Array): void {
    walk.whole = whole
    walk.known = []
  }

  async function wholeListing(): Promise<Listing> {
    while (!walk.whole) await together(gather)
    return heldListing(walk.whole, code)
  }

  /** One step at a time, whoever takes it: who wanted another one looks again. */
  function together(step: () => Promise<void>): Promise<void> {
    walk.step ??= step().finally(() => {
      walk.step = undefined
      grown()
    })
    return walk.step
  }
}
