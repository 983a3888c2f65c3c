import { expect, test } from 'vitest'
import { openPageBookmarks } from './page-bookmarks.ts'

const distance = 10

/** List of rows numbered from 1 that records how it was read. */
function listOf(rows: number) {
  const walked: [after: number | undefined, rows: number][] = []
  const next = async (after = 0, count: number) => {
    walked.push([after === 0 ? undefined : after, count])
    return Array.from({ length: Math.max(0, Math.min(count, rows - after)) }, (_, index) => after + index + 1)
  }
  return { next, walked }
}

const openOn = (changes: { version: () => number | undefined }) =>
  openPageBookmarks({ ...changes, watch: () => () => {}, synchronize: () => undefined }, ['rows'], distance)

test('the first rows need no milestone', async () => {
  const { next, walked } = listOf(100)
  expect(await openOn({ version: () => 1 }).before('list', 9, next)).toEqual({ after: undefined, skip: 9 })
  expect(walked).toEqual([])
})

test('a far row is reached from milestone to milestone, ten in one go', async () => {
  const { next, walked } = listOf(1000)
  expect(await openOn({ version: () => 1 }).before('list', 234, next)).toEqual({ after: 230, skip: 4 })
  expect(walked).toEqual([
    [undefined, 10 * distance],
    [100, 10 * distance],
    [200, 10 * distance],
  ])
})

test('what lies before a known milestone is not walked again', async () => {
  const milestones = openOn({ version: () => 1 })
  const { next, walked } = listOf(1000)
  await milestones.before('list', 134, next)
  walked.length = 0
  expect(await milestones.before('list', 25, next)).toEqual({ after: 20, skip: 5 })
  expect(await milestones.before('list', 200, next)).toEqual({ after: 200, skip: 0 })
  expect(walked).toEqual([])
  expect(await milestones.before('list', 210, next)).toEqual({ after: 210, skip: 0 })
  expect(walked).toEqual([[200, 10 * distance]])
})

test('past the end the last milestone leads on', async () => {
  const { next } = listOf(25)
  expect(await openOn({ version: () => 1 }).before('list', 77, next)).toEqual({ after: 20, skip: 57 })
})

test('each list has its own milestones', async () => {
  const milestones = openOn({ version: () => 1 })
  await milestones.before('one', 50, listOf(100).next)
  const { next, walked } = listOf(100)
  await milestones.before('another', 10, next)
  expect(walked).toHaveLength(1)
})

test.each([
  ['a change', 2],
  ['a time in which changes are not heard of', undefined],
])('%s makes them forgotten', async (_, after) => {
  let stamp: number | undefined = 1
  const milestones = openOn({ version: () => stamp })
  const { next, walked } = listOf(100)
  await milestones.before('list', 50, next)
  stamp = after
  walked.length = 0
  expect(await milestones.before('list', 50, next)).toEqual({ after: 50, skip: 0 })
  expect(walked).toHaveLength(1)
})

test('two requests on the same way do not confuse it', async () => {
  const milestones = openOn({ version: () => 1 })
  const { next } = listOf(1000)
  const starts = await Promise.all([milestones.before('list', 155, next), milestones.before('list', 595, next)])
  expect(starts).toEqual([
    { after: 150, skip: 5 },
    { after: 590, skip: 5 },
  ])
})
