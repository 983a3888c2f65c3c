import { setImmediate } from 'node:timers/promises'
import { openCache } from '../db/cache.ts'
import type { Changes } from '../db/db.ts'

/**
 * Cache of page bookmarks: positions within long lists, from which far pages are read without counting all rows before
 * them. The first request for a far page records the position of every nth row. The bookmarks stay valid until one of
 * the tables changes.
 */
export interface PageBookmarks {
  /** Returns the bookmark from which to read towards the row at this offset, and the number of rows to skip. */
  before(list: string, offset: number, next: Next): Promise<Start>
}

/**
 * Returns the sort keys of the rows after a given one, or of the first rows. Keys are numbers, which use little memory.
 */
type Next = (after: number | undefined, rows: number) => Promise<readonly number[]>

interface Start {
  /** Key of the row to start after; absent at the beginning of the list. */
  after: number | undefined
  skip: number
}

/** Number of rows between bookmarks. Skipping that many rows is cheap compared with reading a page. */
const usualDistance = 50
/** Number of bookmarks recorded per query. */
const stride = 10
/** Maximum number of bookmarks in the cache, which use 2 MiB. */
const maxHeld = 2 ** 18

export function openPageBookmarks(
  changes: Changes,
  tables: readonly string[],
  distance: number = usualDistance,
): PageBookmarks {
  const lists = openCache<number[]>(changes, tables, maxHeld, (bookmarks) => bookmarks.length + 1)
  return {
    async before(list, offset, next) {
      const wanted = Math.floor(offset / distance)
      if (wanted === 0) return { after: undefined, skip: offset }
      const bookmarks = await lists.get(list, async () => [])
      let isOver = false
      while (bookmarks.length < wanted && !isOver) {
        // Assigned by index, because a concurrent request may record the same bookmarks.
        const known = bookmarks.length
        const rows = await next(bookmarks[known - 1], stride * distance)
        for (let step = 1; step <= stride; step++) {
          const row = rows[step * distance - 1]
          if (row === undefined) isOver = true
          else bookmarks[known + step - 1] = row
        }
        lists.updateWeight(list, bookmarks)
        await setImmediate()
      }
      const reached = Math.min(bookmarks.length, wanted)
      return { after: bookmarks[reached - 1], skip: offset - reached * distance }
    },
  }
}
