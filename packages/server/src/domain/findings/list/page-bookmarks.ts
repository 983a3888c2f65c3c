import { type Cache, openCache } from '../../../db/cache.ts'
import type { Changes } from '../../../db/db.ts'
import { type Cursor, justBefore, type ListOrder } from './cursor.ts'

/** Number of matching rows between two bookmarks: the largest page. */
const rowsPerBookmark = 100
/** Page numbers end at row 10,000. */
const maxBookmarks = 100
const maxBookmarkedLists = 500

/**
 * Positions of every hundredth matching row of a list whose rows have to be tested, and the position before the first one.
 * A page starts at the bookmark before it, so that only the first request for a far page reads all rows before it.
 */
export interface PageBookmarks {
  /** Returns the last position at or before an offset, and how many matching rows end there. */
  before(offset: number): { after: Cursor | undefined; passed: number }
  /** Records the positions of matching rows, given in their order, the first of which follows `passed` others. */
  add(passed: number, rows: readonly Cursor[]): void
}

/** Bookmarks by list and start. They are valid until one of the tables of the list changes. */
export type BookmarkCache = Cache<PageBookmarks>

export function openBookmarkCache(changes: Changes, tables: readonly string[]): BookmarkCache {
  return openCache(changes, tables, maxBookmarkedLists)
}

/** Opens bookmarks of a list from its start or a cursor. Without `order`, no position before the first match is recorded. */
export function openBookmarks(start: Cursor | undefined, order?: ListOrder): PageBookmarks {
  const cursors: Cursor[] = []
  let beforeFirst = start
  return {
    before(offset) {
      const count = Math.min(Math.floor(offset / rowsPerBookmark), cursors.length)
      return { after: cursors[count - 1] ?? beforeFirst, passed: count * rowsPerBookmark }
    },
    add(passed, rows) {
      // The first matches can be far from the start of the list.
      if (order && passed === 0 && rows[0]) beforeFirst = justBefore(rows[0], order)
      while (cursors.length < maxBookmarks) {
        const row = rows[(cursors.length + 1) * rowsPerBookmark - passed - 1]
        if (!row) return
        cursors.push(row)
      }
    },
  }
}
