import type { Code, Codes } from './codes.ts'
import { type GrowingCodes, growingCodes } from './growing-codes.ts'
import { heldListing, indexAfter, type Listing, type Reader, readSlice, testedListing } from './held-listing.ts'
import type { Position } from './list-queries.ts'

/** How far a long list is known. */
export interface Walk {
  /** Its first rows, or all of it. */
  codes: Codes
  isWhole: boolean
  /** What is added to. */
  known: GrowingCodes
  /** The last one looked at on the way to them. */
  last: Position | undefined
  /** Somebody is about to know more. */
  step: Promise<void> | undefined
}

export function beginWalk(): Walk {
  const known = growingCodes()
  return { codes: known, isWhole: false, known, last: undefined, step: undefined }
}

/** In codes. */
export function weighWalk({ codes, known }: Walk): number {
  return 1 + (codes === known ? known.room : codes.length)
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
      return readSlice(walk.codes, code, offset, rows)
    },
    async next(after, rows) {
      if (!isKnown(after)) return beyond.next(after, rows)
      const find = () => indexAfter(walk.codes, code, after)
      await goTo(find() + rows)
      return readSlice(walk.codes, code, find(), rows)
    },
  }

  /** Whether what follows it follows what is known, without a gap. */
  function isKnown(position: Position | undefined): boolean {
    if (!position || walk.isWhole) return true
    const last = walk.codes.at(walk.codes.length - 1)
    return last !== undefined && code.of(position) <= last
  }

  async function goTo(end: number): Promise<void> {
    while (!walk.isWhole && walk.codes.length < end) {
      const missing = end - walk.codes.length
      await together(() => goOn(Math.min(missing, mostAtOnce)))
    }
  }

  async function goOn(rows: number): Promise<void> {
    const found = await read(walk.last, rows)
    if (found === 'too many passed by') return gather()
    for (const position of found.found) walk.known.add(code.of(position))
    walk.last = found.last
    walk.isWhole = found.isOver
  }

  async function gather(): Promise<void> {
    walk.codes = await gatherWhole()
    walk.known = growingCodes()
    walk.isWhole = true
  }

  async function wholeListing(): Promise<Listing> {
    while (!walk.isWhole) await together(gather)
    return heldListing(walk.codes, code)
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
