import { expect, test } from 'vitest'
import { forEachBatch } from './batches.ts'

test('forEachBatch processes a long list in order, in batches, with large items alone', async () => {
  const batches: number[][] = []
  const isLarge = (one: number) => one === 3 || one === 4 || one === 500
  await forEachBatch(
    Array.from({ length: 600 }, (_, index) => index),
    async (batch) => void batches.push([...batch]),
    isLarge,
  )
  expect(batches.flat()).toEqual(Array.from({ length: 600 }, (_, index) => index))
  expect(batches.map(({ length }) => length)).toEqual([3, 1, 1, 250, 245, 1, 99])
})
