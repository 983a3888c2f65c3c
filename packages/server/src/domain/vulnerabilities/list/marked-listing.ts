import type { Milestones } from '../../page-bookmarks.ts'
import type { Code } from './codes.ts'
import type { InOrder, Listing } from './held-listing.ts'
import type { Position } from './list-queries.ts'

/** Where to begin reading for a row: after a position, or at the first row, and how many rows are between. */
export interface Start {
  after: Position | undefined
  skip: number
}

/** Where the rows of a list stand that an index has in its order. */
export interface Marks {
  /** Absent: all rows before the wanted ones are counted off. */
  milestones?: Milestones | undefined
  /** Under which they are remembered. */
  key: string
}

/** The rows behind a start, however far they are. */
export async function readFrom(
  { next }: InOrder,
  { of, read }: Code,
  { milestones, key }: Marks,
  start: Start,
  rows: number,
): ReturnType<Listing['at']> {
  if (!milestones) return (await next(start.after, start.skip + rows)).slice(start.skip)
  const { after, skip } = await milestones.before(JSON.stringify([key, start.after]), start.skip, async (from, count) =>
    (await next(from === undefined ? start.after : read(from), count)).map(of),
  )
  const begin = after === undefined ? start.after : read(after)
  return (await next(begin, skip + rows)).slice(skip)
}
