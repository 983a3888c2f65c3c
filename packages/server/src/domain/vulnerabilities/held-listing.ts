import { inSlices } from '../slices.ts'
import type { Position } from './list-queries.ts'

/** A filtered list in its order, of which any part can be read. */
export interface Listing {
  /** Exact; absent where only reading the whole list would tell, and that is long. */
  total: number | undefined
  /** Where to begin reading for the row at an offset, and how many rows are between; `after` absent: the first row. */
  jump(offset: number): { after: Position | undefined; skip: number }
  /** So many rows after a position, or from the first; fewer only at the end. */
  next(after: Position | undefined, rows: number): Promise<Position[]>
}

/** Below zero when the first comes first. */
export type Order = (a: Position, b: Position) => number

/** Of these ids, those that a filter lets through. */
export type Test = (ids: readonly number[]) => Promise<ReadonlySet<number>>

/** A list that is held whole, in its order. */
export function heldListing(rows: readonly Position[], order: Order): Listing {
  return {
    total: rows.length,
    jump: (offset) => ({ after: rows[offset - 1] ?? (offset > 0 ? rows.at(-1) : undefined), skip: 0 }),
    async next(after, count) {
      const start = after ? rows.findIndex((row) => order(row, after) > 0) : 0
      return start < 0 ? [] : rows.slice(start, start + count)
    },
  }
}

/** Rows looked at in one go, at least and at most. */
const [fewest, most] = [100, 500]

/** A list that is read in its order, passing by what the test does not let through. */
export function testedListing(inOrder: Pick<Listing, 'next'>, test: Test): Listing {
  return {
    total: undefined,
    jump: (offset) => ({ after: undefined, skip: offset }),
    async next(after, count) {
      const found: Position[] = []
      let size = Math.max(fewest, Math.min(2 * count, most))
      for (let at = after; found.length < count; size = most) {
        const rows = await inOrder.next(at, size)
        found.push(...(await passing(rows, test)))
        at = rows.at(-1)
        if (rows.length < size) break
      }
      return found.slice(0, count)
    },
  }
}

export async function passing(rows: readonly Position[], test: Test): Promise<Position[]> {
  const found: Position[] = []
  await inSlices(rows, async (slice) => {
    const ids = await test(slice.map(({ id }) => id))
    found.push(...slice.filter(({ id }) => ids.has(id)))
  })
  return found
}
