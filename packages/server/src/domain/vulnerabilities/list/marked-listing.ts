import type { PageBookmarks } from '../../page-bookmarks.ts'
import type { Code } from './codes.ts'
import type { InOrder, Listing } from './held-listing.ts'
import type { Position } from './list-queries.ts'

/** Position to start reading from, or undefined for the beginning, and the number of rows to skip. */
export interface Start {
  after: Position | undefined
  skip: number
}

/** Page bookmarks of a list that an index has in its order. */
export interface Marks {
  /** Absent: all rows before the requested ones are skipped one by one. */
  milestones?: PageBookmarks | undefined
  /** Cache key of the bookmarks. */
  key: string
}

/** Returns the rows from a start, using the nearest bookmark. */
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
