import { expect, test } from 'vitest'
import { hashKey, startKeyTable } from './key-table.ts'

test('a table has the first number of each key, however often it grows', () => {
  const table = startKeyTable()
  const model = new Map<string, number>()
  for (let index = 0; index < 50_000; index++) {
    const key = `key ${(index * 7919) % 30_011}`
    table.add(hashKey(key), index)
    if (!model.has(key)) model.set(key, index)
  }
  for (const [key, value] of model) expect(table.find(hashKey(key))).toBe(value)
  for (let index = 0; index < 1_000; index++) expect(table.find(hashKey(`other ${index}`))).toBeUndefined()
})

test('keys whose searches start at the last slot continue at the first one', () => {
  const table = startKeyTable()
  const last = 2 ** 32 - 1
  for (let index = 0; index < 100; index++) table.add([last, index], index)
  for (let index = 0; index < 100; index++) expect(table.find([last, index])).toBe(index)
  expect(table.find([0, 0])).toBeUndefined()
})

test('a table with 500,000 keys finds each of them', () => {
  const table = startKeyTable()
  const keyOf = (index: number) => [Math.imul(index, 2_654_435_761) >>> 0, index] as const
  for (let index = 0; index < 500_000; index++) table.add(keyOf(index), index)
  const missing = Array.from({ length: 500_000 }, (_, index) => index).filter(
    (index) => table.find(keyOf(index)) !== index,
  )
  expect(missing).toEqual([])
  expect(table.find([1, 500_000])).toBeUndefined()
})
