import { inSlices } from '../../batches.ts'
import type { Code, Codes } from './codes.ts'
import type { Position } from './list-queries.ts'

/** A filtered list in its order, of which any part can be read. */
export interface Listing {
  /** Exact; absent where there are more than anybody counts. */
  total: number | undefined
  /** So many rows from an offset on; fewer only at the end. */
  at(offset: number, rows: number): Promise<Position[]>
  /** So many rows after a position, or from the first; fewer only at the end. */
  next(after: Position | undefined, rows: number): Promise<Position[]>
}

/** More than what is wanted, in the order of the list. */
export type InOrder = Pick<Listing, 'next'>

/** Of these ids, those that a filter lets through. */
export type Test = (ids: readonly number[]) => Promise<ReadonlySet<number>>

/** A list that is held whole, in its order. */
export function heldListing(codes: Codes, code: Code): Listing {
  return {
    total: codes.length,
    at: async (offset, rows) => readSlice(codes, code, offset, rows),
    next: async (after, rows) => readSlice(codes, code, indexAfter(codes, code, after), rows),
  }
}

export function readSlice(codes: Codes, { read }: Code, start: number, rows: number): Position[] {
  const found: Position[] = []
  for (let index = start; found.length < rows; index++) {
    const code = codes.at(index)
    if (code === undefined) break
    found.push(read(code))
  }
  return found
}

/** Of the first row behind a position. */
export function indexAfter(codes: Codes, { of }: Code, position: Position | undefined): number {
  if (!position) return 0
  const code = of(position)
  let [low, high] = [0, codes.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((codes.at(middle) ?? 0) > code) high = middle
    else low = middle + 1
  }
  return low
}

/** Rows looked at in one go, at least and at most. */
const [fewest, most] = [100, 500]

/** Reads on in the order of a list until so many have passed, or until it is over. */
export type Reader = (after: Position | undefined, rows: number) => Promise<Read | 'too many passed by'>

interface Read {
  /** As many as were asked for or some more; fewer only at the end. */
  found: Position[]
  /** The last one looked at. */
  last: Position | undefined
  isOver: boolean
}

export function readerOf(inOrder: InOrder, test: Test, mostPassedBy: number): Reader {
  return async (after, count) => {
    const found: Position[] = []
    let size = Math.max(fewest, Math.min(2 * count, most))
    let passedBy = 0
    for (let last = after; ; size = most) {
      if (passedBy > mostPassedBy) return 'too many passed by'
      const rows = await inOrder.next(last, size)
      const passed = await passing(rows, test)
      found.push(...passed)
      passedBy += rows.length - passed.length
      last = rows.at(-1) ?? last
      const isOver = rows.length < size
      if (isOver || found.length >= count) return { found, last, isOver }
    }
  }
}

/**
 * A long list that is read in its order, passing by what the test does not let through. Where too much would have to be
 * passed by, because all that passes comes late, the whole list is asked for.
 */
export function testedListing(read: Reader, whole: () => Promise<Listing>): Listing {
  const next: Listing['next'] = async (after, rows) => {
    const found = await read(after, rows)
    return found === 'too many passed by' ? (await whole()).next(after, rows) : found.found.slice(0, rows)
  }
  return { total: undefined, at: async (offset, rows) => (await next(undefined, offset + rows)).slice(offset), next }
}

async function passing(rows: readonly Position[], test: Test): Promise<Position[]> {
  const found: Position[] = []
  await inSlices(rows, async (slice) => {
    const ids = await test(slice.map(({ id }) => id))
    found.push(...slice.filter(({ id }) => ids.has(id)))
  })
  return found
}

/** A way along a list in its order, testing all of it. */
export async function* wayThrough(inOrder: InOrder, test: Test): AsyncGenerator<Position[]> {
  for (let after: Position | undefined; ; ) {
    const rows = await inOrder.next(after, most)
    yield await passing(rows, test)
    if (rows.length < most) return
    after = rows.at(-1)
  }
}
