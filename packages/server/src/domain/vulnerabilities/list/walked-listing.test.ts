import { expect, test } from 'vitest'
import { codes } from './codes.ts'
import { readerOf } from './held-listing.ts'
import type { Position } from './list-queries.ts'
import { beginWalk, walkedListing, weighWalk } from './walked-listing.ts'

const position = (id: number): Position => ({ severity: 4, id })

/** Those of so many rows that pass, oldest first, and how many rows were read on the way. */
function walkOver(rows: number, passes: (id: number) => boolean, mostPassedBy = 2_000) {
  const all = Array.from({ length: rows }, (_, index) => index + 1)
  const done = { read: 0, gathered: 0, grown: 0 }
  const inOrder = {
    next: async (after: Position | undefined, count: number) => {
      const found = all.slice(after?.id ?? 0, (after?.id ?? 0) + count)
      done.read += found.length
      return found.map(position)
    },
  }
  const code = codes.detected_asc
  const walk = beginWalk()
  const open = () =>
    walkedListing({
      read: readerOf(inOrder, async (ids) => new Set(ids.filter(passes)), mostPassedBy),
      gatherWhole: async () => {
        done.gathered++
        await new Promise((resolve) => setTimeout(resolve, 1))
        return Float64Array.from(all.filter(passes), (id) => code.of(position(id)))
      },
      code,
      walk,
      grown: () => done.grown++,
    })
  return { open, done, walk, matching: all.filter(passes) }
}

const ids = (positions: readonly Position[]) => positions.map(({ id }) => id)
const isEven = (id: number) => id % 2 === 0

test('a first page reads no more than it needs, and a second time nothing', async () => {
  const { open, done, matching } = walkOver(100_000, isEven)
  expect(ids(await open().at(0, 21))).toEqual(matching.slice(0, 21))
  expect(done.read).toBe(100)
  expect(ids(await open().at(0, 21))).toEqual(matching.slice(0, 21))
  expect(ids(await open().next(undefined, 21))).toEqual(matching.slice(0, 21))
  expect(done).toMatchObject({ read: 100, gathered: 0 })
})

test('a far page is read once with all before it, and any page up to there is known', async () => {
  const { open, done, matching } = walkOver(100_000, isEven)
  expect(ids(await open().at(30_000, 21))).toEqual(matching.slice(30_000, 30_021))
  const { read } = done
  expect(read).toBeLessThan(62_000)
  for (const offset of [0, 17_777, 29_990]) {
    expect(ids(await open().at(offset, 21))).toEqual(matching.slice(offset, offset + 21))
    const after = position(matching[offset] ?? 0)
    expect(ids(await open().next(after, 9))).toEqual(matching.slice(offset + 1, offset + 10))
  }
  expect(done).toMatchObject({ read, gathered: 0 })
})

test('a page behind what is known is read alone', async () => {
  const { open, done, matching } = walkOver(100_000, isEven)
  await open().at(0, 21)
  done.read = 0
  expect(ids(await open().next(position(80_000), 21))).toEqual(matching.slice(40_000, 40_021))
  expect(done).toMatchObject({ read: 100, gathered: 0 })
})

test('where too many would be passed by, all of it is gathered once, whoever asks meanwhile', async () => {
  const { open, done, walk, matching } = walkOver(50_000, (id) => id % 100 === 0)
  const asked = [open().at(0, 40), open().at(100, 20), open().next(position(20_000), 30), open().at(480, 40)]
  const [first = [], far = [], behind = [], last = []] = await Promise.all(asked)
  expect(ids(first)).toEqual(matching.slice(0, 40))
  expect(ids(far)).toEqual(matching.slice(100, 120))
  expect(ids(behind)).toEqual(matching.slice(200, 230))
  expect(ids(last)).toEqual(matching.slice(480))
  expect(done.gathered).toBe(1)
  done.read = 0
  expect(ids(await open().at(300, 3))).toEqual(matching.slice(300, 303))
  expect(done.read).toBe(0)
  expect(weighWalk(walk)).toBe(1 + matching.length)
})

test('at its end the list is known as a whole, and its total still not told', async () => {
  const { open, done, walk, matching } = walkOver(3_000, isEven)
  expect(await open().at(5_000, 20)).toEqual([])
  done.read = 0
  expect(ids(await open().at(1_490, 20))).toEqual(matching.slice(1_490))
  expect(await open().next(position(3_000), 20)).toEqual([])
  expect(done.read).toBe(0)
  expect(open().total).toBeUndefined()
  expect(weighWalk(walk)).toBeLessThan(1 + matching.length + 1024)
})

test('those who go the same way at once do not read it twice, nor mix it up', async () => {
  const { open, done, matching } = walkOver(100_000, () => true)
  const offsets = [9_000, 0, 4_321, 9_999, 250]
  const pages = await Promise.all(offsets.map((offset) => open().at(offset, 21)))
  for (const [index, offset] of offsets.entries()) {
    expect(ids(pages[index] ?? [])).toEqual(matching.slice(offset, offset + 21))
  }
  expect(done.read).toBeLessThan(10_600)
})

test('a step that fails is taken again by the next one', async () => {
  const { matching, ...walked } = walkOver(10_000, isEven)
  let isDown = true
  const read = readerOf(
    {
      next: async (after, count) => {
        if (isDown) throw new Error('the database is away')
        return Array.from({ length: count }, (_, index) => position((after?.id ?? 0) + index + 1))
      },
    },
    async (ids) => new Set(ids.filter(isEven)),
    2_000,
  )
  const never = async () => Promise.reject(new Error('not needed'))
  const code = codes.detected_asc
  const listing = walkedListing({ read, gatherWhole: never, code, walk: walked.walk, grown: () => {} })
  const both = await Promise.allSettled([listing.at(0, 5), listing.at(100, 5)])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  isDown = false
  expect(ids(await listing.at(100, 5))).toEqual(matching.slice(100, 105))
})
