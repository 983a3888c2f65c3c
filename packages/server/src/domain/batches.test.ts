import { expect, test } from 'vitest'
import { forEachBatch } from './batches.ts'

test('forEachBatch processes a long list in order, in batches, with large items alone', async () => {
  const slices: number[][] = []
  const isLarge = (one: number) => one === 3 || one === 4 || one === 500
  await forEachBatch(
    Array.from({ length: 600 }, (_, index) => index),
    async (slice) => void slices.push([...slice]),
    isLarge,
  )
  expect(slices.flat()).toEqual(Array.from({ length: 600 }, (_, index) => index))
  expect(slices.map(({ length }) => length)).toEqual([3, 1, 1, 250, 245, 1, 99])
})
