import { forEachBatch } from '../../batches.ts'
import type { Code, Codes } from './codes.ts'
import type { Position } from './list-queries.ts'

/** A sorted list that can be read from any offset or position. */
export interface Listing {
  /** Exact number of rows; absent for long lists. */
  total: number | undefined
  /** Returns `rows` rows from an offset; fewer only at the end. */
  at(offset: number, rows: number): Promise<Position[]>
  /** Returns `rows` rows after a position, or the first ones; fewer only at the end. */
  next(after: Position | undefined, rows: number): Promise<Position[]>
}

/** A superset of the list in list order. */
export type InOrder = Pick<Listing, 'next'>

/** Returns those of the ids that match the filter. */
export type Test = (ids: readonly number[]) => Promise<ReadonlySet<number>>

/** Creates a list from its sorted keys. */
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

/** Returns the index of the first row after a position. */
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

/** Minimum and maximum number of rows read at once. */
const [fewest, most] = [100, 500]

/** Reads in list order until enough rows match or the list ends. */
export type Reader = (after: Position | undefined, rows: number) => Promise<Read | 'too many passed by'>

interface Read {
  /** At least the requested number of rows; fewer only at the end. */
  found: Position[]
  /** Position of the last row read. */
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
 * Creates a list that is read in order, skipping rows that fail the test. If too many rows would be skipped, because
 * the matching rows come late, it reads from the collected list.
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
  await forEachBatch(rows, async (slice) => {
    const ids = await test(slice.map(({ id }) => id))
    found.push(...slice.filter(({ id }) => ids.has(id)))
  })
  return found
}

/** Access path that reads a list in order and tests every row. */
export async function* wayThrough(inOrder: InOrder, test: Test): AsyncGenerator<Position[]> {
  for (let after: Position | undefined; ; ) {
    const rows = await inOrder.next(after, most)
    yield await passing(rows, test)
    if (rows.length < most) return
    after = rows.at(-1)
  }
}
