import { expect, test } from 'vitest'
import { createChangeLog } from '../../../db/changes.ts'
import type { Cursor, ListOrder } from './cursor.ts'
import { type ListCache, type ListDefinition, openFilteredList, openListCache } from './filtered-list.ts'
import type { IndexRanges } from './index-range.ts'

const order: ListOrder = { id: 'asc' }
const rowCount = 200_000
const first = 150_000

/** Ranges with all rows, which count how many of them are read. */
function openRanges() {
  const reads = { rows: 0, skipped: 0 }
  const ranges: IndexRanges = {
    ranges: [{ total: rowCount, count: async () => rowCount }],
    async read(_start, _end, { after, offset, limit }) {
      const start = (after?.id ?? 0) + 1 + offset
      reads.rows += limit
      reads.skipped += offset
      return rowsBetween(start, Math.min(start + limit - 1, rowCount))
    },
  }
  return { reads, ranges }
}

function rowsBetween(start: number, end: number): Cursor[] {
  return Array.from({ length: Math.max(0, end - start + 1) }, (_, index) => ({ severity: 1, id: start + index }))
}

/** A list whose rows are the last 50,000 of the ranges. */
function openList(
  ranges: IndexRanges,
  candidates: number,
  known: { rowCount?: number } = { rowCount },
  cache?: ListCache,
) {
  const list: ListDefinition = {
    key: 'list',
    order,
    ranges,
    ...known,
    isCounted: true,
    unindexed: {
      listMatching: async (ids) => new Set(ids.filter((id) => id > first)),
      candidates: [
        async function* () {
          if (candidates === Number.POSITIVE_INFINITY) yield { rows: [], read: candidates }
          else
            for (let read = 0; read < candidates; read += 1_000) {
              const rows = rowsBetween(first + read + 1, Math.min(first + read + 1_000, rowCount)).reverse()
              // A vulnerability can be a candidate for several reasons.
              yield { rows: [...rows, ...rows], read: 1_000 }
            }
        },
      ],
    },
  }
  return openFilteredList(list, cache)
}

test('pages of a list without other filters skip few rows after the first request for a far page', async () => {
  const { reads, ranges } = openRanges()
  const changes = { ...createChangeLog(), synchronize: async () => {} }
  const cache = openListCache(changes, ['rows'])
  const counted = () => ({
    key: 'list',
    order,
    ranges,
    rowCount,
    isCounted: true,
    version: cache.bookmarks.version(),
  })
  const skippedFor = async (offset: number, after?: Cursor, list = counted()) => {
    const before = reads.skipped
    const start = (after?.id ?? 0) + offset
    const { read } = await openFilteredList(list, cache)
    expect(await read({ after, offset, limit: 21 })).toEqual(rowsBetween(start + 1, start + 21))
    return reads.skipped - before
  }
  const [middle] = rowsBetween(50_000, 50_000)
  expect(await skippedFor(9_000)).toBe(9_000)
  expect(await skippedFor(9_021)).toBeLessThan(100)
  expect(await skippedFor(9_700)).toBeLessThan(1_000)
  expect(await skippedFor(9_000)).toBe(0)
  expect(await skippedFor(8_990)).toBe(8_990)
  // From the start, because skipping many rows of a severity after a bookmark would read them.
  expect(await skippedFor(7_000)).toBe(7_000)
  expect(await skippedFor(8_500)).toBe(8_500)
  expect(await skippedFor(9_010, middle)).toBe(9_010)
  expect(await skippedFor(9_010, middle)).toBeLessThan(100)
  // A list whose counts were read before a change records no positions.
  const outdated = counted()
  changes.bump(['rows'])
  expect(await skippedFor(9_010, undefined, outdated)).toBe(9_010)
  expect(await skippedFor(9_010)).toBe(9_010)
})

test('a page at the start of a severity is found by the counts, not by a bookmark', async () => {
  const { reads, ranges } = openRanges()
  const sizes = [600, 400]
  const bySeverity: IndexRanges = {
    ...ranges,
    ranges: sizes.map((total, index) => ({ severity: 2 - index, total, count: async () => total })),
    async read(start, _end, { offset, limit }) {
      reads.skipped += offset
      const first = start === 0 ? 0 : 600
      return rowsBetween(first + offset + 1, Math.min(first + offset + limit, first + (sizes[start] ?? 0)))
    },
  }
  const cache = openListCache({ ...createChangeLog(), synchronize: async () => {} }, ['rows'])
  const byId: ListOrder = { severity: 'desc', id: 'asc' }
  const version = cache.bookmarks.version()
  const list = { key: 'list', order: byId, ranges: bySeverity, rowCount: 1000, isCounted: true, version }
  const { read } = await openFilteredList(list, cache)
  expect(await read({ offset: 250, limit: 21 })).toEqual(rowsBetween(251, 271))
  reads.skipped = 0
  expect(await read({ offset: 610, limit: 21 })).toEqual(rowsBetween(611, 631))
  expect(reads.skipped).toBe(10)
})

test('a page of many matches that are far from the start is selected from the candidates of a filter', async () => {
  const { reads, ranges } = openRanges()
  const list = await openList(ranges, 50_000)

  expect(list.total).toBeUndefined()
  const page = await list.read({ limit: 20 })
  expect(page.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, index) => first + 1 + index))
  expect(await list.read({ after: page.at(-1), limit: 2 })).toEqual(rowsBetween(first + 21, first + 22))
  expect(await list.read({ offset: 3, limit: 1 })).toEqual(rowsBetween(first + 4, first + 4))
  // Each of the three pages would test more than 150,000 rows otherwise.
  expect(reads.rows).toBeLessThan(first)
})

test('the rows of the list are tested when a filter has too many candidates', async () => {
  const { ranges } = openRanges()
  const list = await openList(ranges, 20 * rowCount)

  expect(await list.read({ limit: 3 })).toEqual(rowsBetween(first + 1, first + 3))
})

test('the rows of a list of unknown length are tested when a filter has too many keys', async () => {
  const { ranges } = openRanges()
  const list = await openList(ranges, Number.POSITIVE_INFINITY, {})

  expect(await list.read({ limit: 3 })).toEqual(rowsBetween(first + 1, first + 3))
})

test('the position of the first match is cached until a row changes', async () => {
  const { reads, ranges } = openRanges()
  const changes = { ...createChangeLog(), synchronize: async () => {} }
  const cache = openListCache(changes, ['rows'])
  const readsOf = async (limit: number) => {
    reads.rows = 0
    const list = await openList(ranges, 20 * rowCount, undefined, cache)
    expect(await list.read({ limit })).toEqual(rowsBetween(first + 1, first + limit))
    return reads.rows
  }

  expect(await readsOf(3)).toBeGreaterThan(first)
  expect(await readsOf(20)).toBeLessThan(1_000)
  changes.bump(['rows'])
  expect(await readsOf(3)).toBeGreaterThan(first)
})
