import { type Cache, openCache } from '../../../db/cache.ts'
import type { Changes } from '../../../db/db.ts'
import { type Cursor, justBefore, type ListOrder } from './cursor.ts'

/** Number of matching rows between two bookmarks: the largest page. */
const rowsPerBookmark = 100
/** Page numbers end at row 10,000. */
const maxBookmarks = 100
const maxBookmarkedLists = 500

/**
 * Positions of rows of a list, one in every hundred. A page starts at the last of them before it, so that not every request
 * for a far page reads or skips all rows before it.
 */
export interface PageBookmarks {
  /** Returns the last position at or before an offset, and how many rows end there. */
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
  /** The first known position of every hundred. */
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
      for (let position = before ? passed : passed + 1; position <= end; ) {
        const hundred = Math.floor(position / rowsPerBookmark)
        const known = bookmarks[hundred]
        const after = position === passed ? before : rows[position - passed - 1]
        if (!known || position < known.passed) bookmarks[hundred] = { after, passed: position }
        position = (hundred + 1) * rowsPerBookmark
      }
    },
  }
}
