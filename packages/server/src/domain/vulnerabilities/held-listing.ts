import { inSlices } from '../slices.ts'
import type { Code } from './codes.ts'
import type { Position } from './list-queries.ts'

/** A filtered list in its order, of which any part can be read. */
export interface Listing {
  /** Exact; absent where there are more than anybody counts. */
  total: number | undefined
  /** Where to begin reading for the row at an offset, and how many rows are between; `after` absent: the first row. */
  jump(offset: number): { after: Position | undefined; skip: number }
  /** So many rows after a position, or from the first; fewer only at the end. */
  next(after: Position | undefined, rows: number): Promise<Position[]>
}

/** Of these ids, those that a filter lets through. */
export type Test = (ids: readonly number[]) => Promise<ReadonlySet<number>>

/** A list that is held whole, in its order. */
export function heldListing(codes: Float64Array, { of, read }: Code): Listing {
  const at = (index: number) => {
    const code = codes[index]
    return code === undefined ? undefined : read(code)
  }
  return {
    total: codes.length,
    jump: (offset) => ({ after: offset > 0 ? at(Math.min(offset, codes.length) - 1) : undefined, skip: 0 }),
    async next(after, count) {
      const start = after ? firstAbove(codes, of(after)) : 0
      return [...codes.subarray(start, start + count)].map(read)
    },
  }
}

function firstAbove(codes: Float64Array, code: number): number {
  let [low, high] = [0, codes.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((codes[middle] ?? 0) > code) high = middle
    else low = middle + 1
  }
  return low
}

/** Rows looked at in one go, at least and at most. */
const [fewest, most] = [100, 500]
/**
 * A long list that is read in its order, passing by what the test does not let through. Where too much would have to be
 * passed by, because all that passes comes late, the whole list is asked for.
 */
export function testedListing(
  inOrder: Pick<Listing, 'next'>,
  test: Test,
  mostPassedBy: number,
  whole: () => Promise<Listing>,
): Listing {
  return {
    total: undefined,
    jump: (offset) => ({ after: undefined, skip: offset }),
    async next(after, count) {
      const found: Position[] = []
      let size = Math.max(fewest, Math.min(2 * count, most))
      let passedBy = 0
      for (let at = after; found.length < count; size = most) {
        if (passedBy > mostPassedBy) return (await whole()).next(after, count)
        const rows = await inOrder.next(at, size)
        const passed = await passing(rows, test)
        found.push(...passed)
        passedBy += rows.length - passed.length
        at = rows.at(-1)
        if (rows.length < size) break
      }
      return found.slice(0, count)
    },
  }
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
export async function* wayThrough(inOrder: Pick<Listing, 'next'>, test: Test): AsyncGenerator<Position[]> {
  for (let after: Position | undefined; ; ) {
    const rows = await inOrder.next(after, most)
    yield await passing(rows, test)
    if (rows.length < most) return
    after = rows.at(-1)
  }
}
