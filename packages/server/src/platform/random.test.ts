import { expect, test } from 'vitest'
import { openRandom } from './random.ts'

test('random bytes have the requested length and are never returned twice', () => {
  const random = openRandom()
  const lengths = Array.from({ length: 2000 }, (_, index) => 16 + (index % 17))
  const taken = lengths.map((length) => random(length))
  expect(taken.map(({ length }) => length)).toEqual(lengths)
  const starts = new Set(taken.map((bytes) => bytes.toString('hex', 0, 16)))
  expect(starts.size).toBe(lengths.length)
})

test('random bytes that were returned do not change', () => {
  const random = openRandom()
  const first = random(32)
  const before = first.toString('hex')
  for (let count = 0; count < 500; count++) random(32)
  expect(first.toString('hex')).toBe(before)
})

test('random bytes can be longer than the pool', () => {
  const random = openRandom()
  random(16)
  const [one, other] = [random(10_000), random(10_000)]
  expect([one.length, other.length]).toEqual([10_000, 10_000])
  expect(one.equals(other)).toBe(false)
  expect(random(0)).toHaveLength(0)
})
