import { type Cache, openCache } from '../../../db/cache.ts'
import type { Changes } from '../../../db/db.ts'
import type { PageBookmarks } from '../../page-bookmarks.ts'
import type { Code } from './codes.ts'
import { type Gathered, gather, gatherAll, type Way } from './gather.ts'
import { heldListing, type InOrder, type Listing, readerOf, type Test, testedListing } from './held-listing.ts'
import { beginWalk, type Walk, walkedListing, weighWalk } from './walked-listing.ts'

/** Caches of collected lists: short ones completely, long ones as far as they have been read. */
interface ListMemory {
  short: Cache<Gathered>
  long: Cache<Walk>
  /** Time in ms until which a list counts as long without collecting it again. */
  longUntil: Map<string, number>
}

/** Caches for lists of one kind. */
export interface Remembered {
  gathered: ListMemory
  milestones: PageBookmarks
}

const bytesEach = 8
const [shortBytes, longBytes] = [2 ** 21, 2 ** 24]

export function openListMemory(changes: Changes, tables: readonly string[]): ListMemory {
  return {
    short: openCache<Gathered>(changes, tables, shortBytes / bytesEach, (rows) => rows.length + 1),
    long: openCache<Walk>(changes, tables, longBytes / bytesEach, weighWalk),
    longUntil: new Map(),
  }
}

export interface GatheredOptions {
  memory?: ListMemory | undefined
  /** Cache key. */
  key: string
  /** Maximum number of rows of a collected list. */
  mostGathered?: number | undefined
  /** Maximum number of rejected rows that are read for a page. */
  mostPassedBy?: number | undefined
}

interface Wanted {
  inOrder: InOrder
  test: Test
  ways: readonly Way[]
  code: Code
  /** Whether a short list has a total. */
  isCounted: boolean
}

/** Maximum number of rows of a list that is collected for its total; longer lists have none. */
const maxCollectedRows = 2_000
/** Number of first rows that are read in order without collecting the list, if it needs no total. */
const maxReadRows = 500
const longForMs = 10_000
const maxLongLists = 1_000

/**
 * Opens a list that no index has in its order. A short list is collected; of a long one, rows are read in order and
 * those that fail the test are skipped. A list stays long for some seconds, because collecting it anew after each write
 * of others would take most of the time of a request.
 */
export async function openGathered(list: Wanted, options: GatheredOptions): Promise<Listing> {
  if (list.isCounted) return openCollected(list, options)
  const { inOrder, test } = list
  const read = readerOf(inOrder, test, options.mostPassedBy ?? maxReadRows)
  let collected: Promise<Listing> | undefined
  const collect = () => {
    collected ??= openCollected(list, options)
    return collected
  }
  const first = testedListing(read, collect)
  return {
    ...first,
    at: async (offset, rows) => (offset + rows <= maxReadRows ? first : await collect()).at(offset, rows),
  }
}

async function openCollected(
  { inOrder, test, ways, code }: Wanted,
  { memory, key, mostGathered = maxCollectedRows, mostPassedBy = 2_000 }: GatheredOptions,
): Promise<Listing> {
  const gatherShort = () => gather(ways, code, mostGathered)
  const gatherWhole = () => gatherAll(ways, code)
  const isLong = memory !== undefined && (memory.longUntil.get(key) ?? 0) > performance.now()
  const collect = () => (memory ? memory.short.getShared(key, gatherShort) : gatherShort())
  const rows = isLong ? 'too many' : await collect()
  if (rows !== 'too many') return heldListing(rows, code)
  if (memory && !isLong) {
    if (memory.longUntil.size >= maxLongLists) memory.longUntil.clear()
    memory.longUntil.set(key, performance.now() + longForMs)
  }
  const read = readerOf(inOrder, test, mostPassedBy)
  if (memory) {
    const walk = await memory.long.getShared(key, async () => beginWalk())
    return walkedListing({ read, gatherWhole, code, walk, grown: () => memory.long.updateWeight(key, walk) })
  }
  let whole: Promise<Float64Array> | undefined
  return testedListing(read, async () => {
    whole ??= gatherWhole()
    return heldListing(await whole, code)
  })
}
