import { expect, test } from 'vitest'
import { growingCodes } from './growing-codes.ts'

test('codes are where they were added, and nothing is behind the last', () => {
  const codes = growingCodes()
  expect([codes.length, codes.room, codes.at(0)]).toEqual([0, 0, undefined])
  for (let index = 0; index < 5_000; index++) codes.add(index * 2 ** 40)
  for (const index of [0, 1, 1023, 1024, 1025, 2047, 2048, 4999]) expect(codes.at(index)).toBe(index * 2 ** 40)
  expect([codes.length, codes.at(5_000), codes.at(100_000)]).toEqual([5_000, undefined, undefined])
})

test('there is never much more room than there are codes', () => {
  const codes = growingCodes()
  for (let added = 1; added <= 10_000; added++) {
    codes.add(added)
    expect(codes.room - codes.length).toBeLessThan(1024)
    expect(codes.room).toBeGreaterThanOrEqual(codes.length)
  }
})
