import { setImmediate } from 'node:timers/promises'
import { type Cache, openCache } from '../../../db/cache.ts'
import type { Changes } from '../../../db/db.ts'
import { type Cursor, compareIn, type ListOrder } from './cursor.ts'
import { type IndexRanges, type RowRequest, readRanges } from './index-range.ts'
import { type BookmarkCache, openBookmarkCache, openBookmarks } from './page-bookmarks.ts'

export interface ListLimits {
  /** Maximum number of rows of a short list. Longer lists have no total. */
  maxShortRows: number
  /** Maximum number of rows of ranges that are read and tested without using the indexes of the filters. */
  maxDirectRows: number
}

const defaultLimits: ListLimits = { maxShortRows: 2_000, maxDirectRows: 500 }
/** Number of candidates after which the next filter is tried. */
const firstCandidates = 2_500
/** Reading and testing a row of an index range takes about as long as ten candidates. */
const candidatesPerRow = 10
/**
 * Numbers of rows that are read and tested at once. The first page mostly needs few; a list with few matches needs many,
 * and each batch opens every index range anew.
 */
const [firstBatchSize, maxBatchSize] = [100, 2_000]
/** Time in which a list that was too long counts as long without another attempt to collect it. */
export const frequentForMs = 10_000
const maxFrequentLists = 1_000
/**
 * A list with few matches among many rows is collected as well, because a page of it would read many rows. Both cost
 * about the same when one row in 200 matches.
 */
const [rowsPerMatch, maxSparseRows] = [200, 10_000]
/** Number of rows that are always tested before all candidates of a filter are read for a page. */
const minTestedRows = 8_000
/** Maximum number of rows of all cached lists. */
const maxCachedRows = 50_000

/** A list of vulnerabilities or findings in its order. */
export interface FilteredList {
  /** Exact number of rows; undefined if it would require reading many rows. */
  total: number | undefined
  /** Returns rows from an offset after the cursor; fewer than requested only at the end. */
  read(request: RowRequest): Promise<Cursor[]>
}

/** Matching rows, and how many rows were read for them. */
export interface Batch {
  rows: readonly Cursor[]
  read: number
}

/** Filters that no index range covers. */
export interface UnindexedFilters {
  /** Returns those of the ids that match all filters. */
  listMatching(ids: readonly number[]): Promise<ReadonlySet<number>>
  /** For each filter with an index of its own: reads all rows of the list from it, in any order. */
  candidates: readonly (() => AsyncGenerator<Batch>)[]
}

export interface ListDefinition {
  /** Key of the list in the cache. */
  key: string
  /** The only project of the list, if there is one. */
  projectId?: number | undefined
  order: ListOrder
  /** Version of the tables (`ListCache`) from before the numbers of rows were read. Absent: no bookmarks are used. */
  version?: number | undefined
  /** Ranges that contain the rows of the list. */
  ranges: IndexRanges
  /** Number of rows of the ranges, if known. */
  rowCount?: number | undefined
  /** Absent: all rows of the ranges are in the list. */
  unindexed?: UnindexedFilters | undefined
  /** Whether a short list has a total. */
  isCounted: boolean
}

type FilteredDefinition = ListDefinition & { unindexed: UnindexedFilters }

/** The rows of a short list, sorted. A list of frequent matches is longer, and is read in the order of the index. */
type Collected = readonly Cursor[] | 'frequent'

/** Cache of short lists, and of the fact that a list is long. */
export interface ListCache {
  collected: Cache<Collected>
  /** Time by the clock of `performance` until which a list counts as long. */
  frequentUntil: Map<string, number>
  /** Where pages of long lists start. */
  bookmarks: BookmarkCache
}

export function openListCache(changes: Changes, tables: readonly string[]): ListCache {
  const weigh = (rows: Collected) => rows.length + 1
  return {
    collected: openCache(changes, tables, maxCachedRows, weigh),
    frequentUntil: new Map(),
    bookmarks: openBookmarkCache(changes, tables),
  }
}

/**
 * Opens a list. Without unindexed filters its rows are those of the index ranges. A short list with unindexed filters is
 * collected and sorted; a longer one is read from the index ranges, and each row is tested.
 */
export async function openFilteredList(
  list: ListDefinition,
  cache?: ListCache,
  limits: ListLimits = defaultLimits,
): Promise<FilteredList> {
  const { unindexed, order, rowCount, isCounted } = list
  if (!unindexed || rowCount === 0) {
    return { total: rowCount, read: (request) => readIndexed(list, request, cache) }
  }
  const filtered = { ...list, unindexed }
  let collected: Promise<Collected> | undefined
  const collect = () => {
    collected ??= cache ? collectCached(filtered, cache, limits) : collectRows(filtered, limits)
    return collected
  }
  const rows = isCounted ? await collect() : undefined
  return {
    total: rows && rows !== 'frequent' ? rows.length : undefined,
    async read(request) {
      const isNear = (request.offset ?? 0) + request.limit <= limits.maxDirectRows
      const first = !isCounted && isNear ? await openTest(filtered, request)(limits.maxDirectRows) : undefined
      if (first) return first
      const known = await collect()
      return known === 'frequent' ? readFrequent(filtered, request, cache) : selectFrom(known, order, request)
    },
  }
}

function selectFrom(rows: readonly Cursor[], order: ListOrder, { after, offset = 0, limit }: RowRequest): Cursor[] {
  const compare = compareIn(order)
  const start = after ? rows.findIndex((row) => compare(row, after) > 0) : 0
  return start < 0 ? [] : rows.slice(start + offset, start + offset + limit)
}

/** Offset from which bookmarks are used. Skipping fewer rows takes about as long as finding a bookmark. */
const minBookmarkedOffset = 200
/** Beyond this, reading from the start is faster, because a page that ends a severity would read the skipped rows. */
const maxSkippedRows = 1_000

/** Reads rows of the ranges, from a bookmark that is not far before the offset, and records where the page is. */
async function readIndexed(list: ListDefinition, request: RowRequest, cache?: ListCache): Promise<Cursor[]> {
  const { ranges, order, version, projectId } = list
  const { after, offset = 0, limit } = request
  const isCurrent = version !== undefined && version === cache?.bookmarks.version(projectId)
  if (!cache || !isCurrent || offset < minBookmarkedOffset) return readRanges(ranges, order, request)
  const bookmarks = await bookmarksOf(cache, list, after)
  const start = bookmarks.before(offset)
  const skipped = offset - start.passed
  const isNear = skipped <= maxSkippedRows && skipped < (after ? offset : skippedFromStart(ranges, offset))
  const rows = await readRanges(ranges, order, isNear ? { after: start.after, offset: skipped, limit } : request)
  bookmarks.add(offset, rows)
  return rows
}

/** Returns how many rows a page skips that is read from the start, where numbers of rows allow to skip whole ranges. */
function skippedFromStart({ ranges }: IndexRanges, offset: number): number {
  let skipped = offset
  for (const { total } of ranges) {
    if (total === undefined || skipped < total) break
    skipped -= total
  }
  return skipped
}

const bookmarksOf = ({ bookmarks }: ListCache, { key, order, projectId }: ListDefinition, after: Cursor | undefined) =>
  bookmarks.get(JSON.stringify([key, after]), async () => openBookmarks(after, order), projectId)

/** Reads and tests rows from the last bookmark before the offset, and records bookmarks. */
async function readFrequent(list: FilteredDefinition, request: RowRequest, cache?: ListCache): Promise<Cursor[]> {
  const { after, offset = 0, limit } = request
  // Each page of a client that follows cursors starts at another one, so its bookmarks would displace others.
  if (!cache || (after && offset === 0)) return readMatching(list, request)
  const bookmarks = await bookmarksOf(cache, list, after)
  const start = bookmarks.before(offset)
  const end = offset + limit - start.passed
  const rows = await readMatching(list, { after: start.after, limit: end })
  bookmarks.add(start.passed, rows)
  return rows.slice(offset - start.passed)
}

/**
 * Reads a page by testing rows in the order of the list. When the matches are far from the start, for example because all
 * of them have a low severity, reading all candidates of a filter is cheaper. Which of the two is cannot be known before,
 * so each gets a growing number of rows in turn.
 */
async function readMatching(list: FilteredDefinition, request: RowRequest): Promise<Cursor[]> {
  const test = openTest(list, request)
  const expectedReads = rowsPerMatch * ((request.offset ?? 0) + request.limit)
  for (let maxRead = Math.max(2 * expectedReads, minTestedRows); ; maxRead *= 4) {
    const page = (await test(maxRead)) ?? (await selectFromCandidates(list, request, 2 * maxRead))
    if (page) return page
  }
}

/** Selects a page from all candidates of a filter. Undefined if each filter has more candidates than `maxRead`. */
async function selectFromCandidates(
  { unindexed, order }: FilteredDefinition,
  request: RowRequest,
  maxRead: number,
): Promise<Cursor[] | undefined> {
  for (const readCandidates of unindexed.candidates) {
    const selection = openSelection(order, request)
    let read = 0
    for await (const batch of readCandidates()) {
      selection.add(batch.rows)
      read += batch.read
      if (read > maxRead) break
      await setImmediate()
    }
    if (read <= maxRead) return selection.page()
  }
  return undefined
}

/** Keeps the rows of a page while all rows of the list are added in any order, possibly more than once. */
function openSelection(order: ListOrder, { after, offset = 0, limit }: RowRequest) {
  const compare = compareIn(order)
  const end = offset + limit
  let rows = new Map<number, Cursor>()
  const sorted = () => [...rows.values()].sort(compare).slice(0, end)
  return {
    add(added: readonly Cursor[]) {
      for (const row of added) if (!after || compare(row, after) > 0) rows.set(row.id, row)
      if (rows.size > 2 * end + maxBatchSize) rows = new Map(sorted().map((row) => [row.id, row]))
    },
    page: () => sorted().slice(offset),
  }
}

/**
 * Returns a function that reads and tests rows until it has the page, or until `maxRead` rows have been read since the
 * start; then it returns `undefined`, and the next call continues.
 */
function openTest(list: FilteredDefinition, { after, offset = 0, limit }: RowRequest) {
  const batches = testedBatches(list, after)
  const matches: Cursor[] = []
  let read = 0
  return async (maxRead: number): Promise<Cursor[] | undefined> => {
    while (matches.length < offset + limit) {
      if (read >= maxRead) return undefined
      const { value: batch } = await batches.next()
      if (!batch) break
      matches.push(...batch.rows)
      read += batch.read
    }
    return matches.slice(offset, offset + limit)
  }
}

/** Yields all matching rows in the order of the list. */
async function* testedBatches(list: FilteredDefinition, start?: Cursor): AsyncGenerator<Batch, void> {
  for (let after = start, limit = firstBatchSize; ; limit = Math.min(2 * limit, maxBatchSize)) {
    const rows = await readRanges(list.ranges, list.order, { after, limit })
    const matching = await list.unindexed.listMatching(rows.map(({ id }) => id))
    yield { rows: rows.filter(({ id }) => matching.has(id)), read: rows.length }
    if (rows.length < limit) return
    after = rows.at(-1)
    await setImmediate()
  }
}

async function collectCached(
  list: FilteredDefinition,
  { collected, frequentUntil }: ListCache,
  limits: ListLimits,
): Promise<Collected> {
  const isFrequent = (frequentUntil.get(list.key) ?? 0) > performance.now()
  if (isFrequent) return 'frequent'
  const rows = await collected.getShared(list.key, () => collectRows(list, limits), list.projectId)
  if (rows === 'frequent') {
    if (frequentUntil.size >= maxFrequentLists) frequentUntil.clear()
    frequentUntil.set(list.key, performance.now() + frequentForMs)
  }
  return rows
}

/**
 * Collects the rows of a list: from the index of one of its filters, or from the index ranges where these have fewer
 * rows than the filters have candidates.
 */
async function collectRows(list: FilteredDefinition, limits: ListLimits): Promise<Collected> {
  const { unindexed, order, rowCount = Number.POSITIVE_INFINITY } = list
  const { maxDirectRows } = limits
  const maxRows = Math.max(limits.maxShortRows, Math.min((list.rowCount ?? 0) / rowsPerMatch, maxSparseRows))
  if (rowCount > maxDirectRows) {
    for (const maxCandidates of [firstCandidates, candidatesPerRow * rowCount]) {
      for (const readCandidates of unindexed.candidates) {
        const rows = await collectFrom(readCandidates(), order, maxRows, maxCandidates)
        if (rows) return rows
      }
    }
  }
  return (await collectFrom(testedBatches(list), order, maxRows)) ?? []
}

/** Undefined when more than `maxRead` rows would have to be read. */
async function collectFrom(
  batches: AsyncGenerator<Batch>,
  order: ListOrder,
  maxRows: number,
  maxRead: number = Number.POSITIVE_INFINITY,
): Promise<Collected | undefined> {
  const rows = new Map<number, Cursor>()
  let allRead = 0
  for await (const batch of batches) {
    for (const row of batch.rows) rows.set(row.id, row)
    if (rows.size > maxRows) return 'frequent'
    allRead += batch.read
    // A filter with too many keys has an infinite number of candidates.
    if (allRead > maxRead || allRead === Number.POSITIVE_INFINITY) return undefined
    await setImmediate()
  }
  return [...rows.values()].sort(compareIn(order))
}
