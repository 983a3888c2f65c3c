import type { Code, Codes } from './codes.ts'
import { type GrowingCodes, growingCodes } from './growing-codes.ts'
import { heldListing, indexAfter, type Listing, type Reader, readSlice, testedListing } from './held-listing.ts'
import type { Position } from './list-queries.ts'

/** State of an incrementally read list. */
export interface Walk {
  /** Sort keys of its first rows, or of all of them. */
  codes: Codes
  isWhole: boolean
  /** Keys read so far, to which further ones are appended. */
  known: GrowingCodes
  /** Position of the last row read, matching or not. */
  last: Position | undefined
  /** The read in progress, shared by concurrent requests. */
  step: Promise<void> | undefined
}

export function beginWalk(): Walk {
  const known = growingCodes()
  return { codes: known, isWhole: false, known, last: undefined, step: undefined }
}

/** Returns the weight of a cache entry in keys. */
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

/** Maximum number of rows found in one step, before it yields to the event loop. */
const mostAtOnce = 500

/** Creates a long list that is read incrementally and never reads a row twice. */
export function walkedListing({ read, gatherWhole, code, walk, grown }: Walked): Listing {
  const beyond = testedListing(read, wholeListing)
  return {
    // Undefined even when the whole list is known: the response must not depend on earlier requests.
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

  /** Returns true if the position lies within the known rows, so that the next row is known or the next to be read. */
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

  /** Runs one step at a time; concurrent requests share it and check the state again afterwards. */
  function together(step: () => Promise<void>): Promise<void> {
    walk.step ??= step().finally(() => {
      walk.step = undefined
      grown()
    })
    return walk.step
  }
}
