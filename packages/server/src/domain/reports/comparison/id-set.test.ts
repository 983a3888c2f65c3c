import { expect, test } from 'vitest'
import { idSetOf } from './id-set.ts'

test('a set of ids has the ids it was built from, in any order and beyond 32 bits', () => {
  const set = idSetOf(Float64Array.of(7, 3, 2 ** 40, 3, 1))
  expect([0, 1, 2, 3, 4, 7, 8, 2 ** 40, 2 ** 41].filter(set.has)).toEqual([1, 3, 7, 2 ** 40])
  expect(idSetOf(new Float64Array()).has(0)).toBe(false)
})
