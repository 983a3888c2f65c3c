import { type Cache, openCache } from '../../../db/cache.ts'
import type { Changes } from '../../../db/db.ts'
import { type Cursor, justBefore, type ListOrder } from './cursor.ts'

/** Number of rows per bookmark. */
const rowsPerBookmark = 100
/** Page numbers end at row 10,000. */
const maxBookmarks = 100
const maxBookmarkedLists = 500

/**
 * Known positions in a list, at most one per hundred rows. Reading starts at the last one at or before the page, so few requests
 * read or skip all rows before it.
 */
export interface PageBookmarks {
  /** Returns the last position at or before an offset, and the number of rows up to it. */
  before(offset: number): Bookmark
  /** Records positions of consecutive rows, the first of which follows `passed` others. */
  add(passed: number, rows: readonly Cursor[]): void
}

interface Bookmark {
  after: Cursor | undefined
  passed: number
}

/** Bookmarks by list and start. They are valid until one of the tables of the list changes. */
export type BookmarkCache = Cache<PageBookmarks>

export function openBookmarkCache(changes: Changes, tables: readonly string[]): BookmarkCache {
  return openCache(changes, tables, maxBookmarkedLists)
}

/**
 * Opens bookmarks of a list from its start or a cursor. With `order`, the position before the first of the added rows is recorded
 * as well: the first matches can be far from the start of the list.
 */
export function openBookmarks(start: Cursor | undefined, order?: ListOrder): PageBookmarks {
  /** Lowest known position in each hundred rows. */
  const bookmarks: Bookmark[] = []
  return {
    before(offset) {
      for (let hundred = Math.min(Math.floor(offset / rowsPerBookmark), maxBookmarks); hundred >= 0; hundred--) {
        const bookmark = bookmarks[hundred]
        if (bookmark && bookmark.passed <= offset) return bookmark
      }
      return { after: start, passed: 0 }
    },
    add(passed, rows) {
      const [first] = rows
      const before = order && first && justBefore(first, order)
      const end = Math.min(passed + rows.length, maxBookmarks * rowsPerBookmark)
      // Without `order`, a bookmark before row 100 saves less than it costs.
      const start = before ? passed : Math.max(passed + 1, rowsPerBookmark)
      for (let position = start; position <= end; ) {
        const hundred = Math.floor(position / rowsPerBookmark)
        const known = bookmarks[hundred]
        const after = position === passed ? before : rows[position - passed - 1]
        if (!known || position < known.passed) bookmarks[hundred] = { after, passed: position }
        position = (hundred + 1) * rowsPerBookmark
      }
    },
  }
}
