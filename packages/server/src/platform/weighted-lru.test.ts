import { hash } from 'node:crypto'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { weightedLru } from './weighted-lru.ts'

const letters = ['a', 'b', 'c', 'd']

test('the oldest value makes room for a new one', () => {
  const lru = filled()
  lru.set('e', 1)
  expect(lru.get('a')).toBeUndefined()
  for (const key of ['b', 'c', 'd', 'e']) expect(lru.get(key)).toBe(1)
})

test('a value that has been used is passed over once', () => {
  const lru = filled()
  lru.get('a')
  lru.set('e', 1)
  lru.set('f', 1)
  lru.set('g', 1)
  expect(letters.filter((key) => lru.get(key) !== undefined)).toEqual(['a'])
  for (const key of ['e', 'f', 'g']) expect(lru.get(key)).toBe(1)
})

test('when all values have been used, a new one displaces the oldest of them', () => {
  const lru = filled()
  for (const key of letters) lru.get(key)
  lru.set('e', 1)
  expect(lru.get('e')).toBe(1)
  expect(letters.filter((key) => lru.get(key) !== undefined)).toEqual(['b', 'c', 'd'])
})

test('a value heavier than the limit is not kept and displaces none but its predecessor', () => {
  const lru = filled()
  lru.set('a', 5)
  expect(letters.filter((key) => lru.get(key) !== undefined)).toEqual(['b', 'c', 'd'])
})

test('the total weight never exceeds the limit', () => {
  const lru = weightedLru<number>(10, (weight) => weight)
  const keys = Array.from({ length: 40 }, (_, index) => String(index))
  for (let step = 0; step < 2000; step++) {
    const key = keys[(step * 7919) % keys.length] ?? ''
    if (step % 3 === 0) lru.get(key)
    else if (step % 17 === 0) lru.delete(key)
    else lru.set(key, 1 + (step % 6))
    expect(lru.get(key) ?? 0).toBeLessThanOrEqual(6)
  }
  expect(keys.reduce((total, key) => total + (lru.get(key) ?? 0), 0)).toBeLessThanOrEqual(10)
})

test('the same values are kept as in a list that is searched from its start', () => {
  const limit = 50
  const lru = weightedLru<number>(limit, (weight) => weight)
  let model: { key: string; value: number; isUsed: boolean }[] = []
  const without = (key: string) => model.filter((entry) => entry.key !== key)
  const total = () => model.reduce((sum, { value }) => sum + value, 0)
  for (let step = 0; step < 20_000; step++) {
    const key = String((step * step * 31 + step) % 97)
    const value = 1 + ((step * 13) % 5)
    if (step % 11 === 0) {
      lru.delete(key)
      model = without(key)
    } else if (step % 3 === 0) {
      const entry = model.find((entry) => entry.key === key)
      if (entry) entry.isUsed = true
      expect([step, lru.get(key)]).toEqual([step, entry?.value])
    } else {
      lru.set(key, value)
      model = without(key)
      while (total() + value > limit) {
        const [first] = model.splice(0, 1)
        if (first?.isUsed) model.push({ ...first, isUsed: false })
      }
      model.push({ key, value, isUsed: false })
    }
  }
})

test('replaced values do not stay in memory after an eviction', () => {
  const collect = collector()
  const lru = weightedLru<number[]>(100, () => 1)
  for (let key = 0; key <= 100; key++) lru.set(String(key), [])
  collect()
  const before = process.memoryUsage().heapUsed
  for (let step = 0; step < 20_000; step++)
    lru.set(
      String(1 + (step % 100)),
      Array.from({ length: 200 }, () => step),
    )
  collect()
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(10_000_000)
  expect(lru.get('100')).toHaveLength(200)
})

test('long keys find their values, and are not kept themselves', () => {
  const collect = collector()
  const keyOf = (index: number) => Buffer.alloc(100_000, 'search ').toString('latin1') + index
  const lru = weightedLru<number>(10_000, () => 1)
  collect()
  const before = process.memoryUsage().heapUsed
  for (let index = 0; index < 500; index++) lru.set(keyOf(index), index)
  collect()
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(10_000_000)
  for (let index = 0; index < 500; index++) expect(lru.get(keyOf(index))).toBe(index)
  lru.delete(keyOf(7))
  expect([lru.get(keyOf(7)), lru.get(keyOf(8))]).toEqual([undefined, 8])
})

test('the hash of a long key is a key of its own', () => {
  const long = 'description '.repeat(100)
  const lru = weightedLru<number>(10, () => 1)
  lru.set(long, 1)
  lru.set(hash('sha256', long, 'base64url'), 2)
  expect([lru.get(long), lru.get(hash('sha256', long, 'base64url'))]).toEqual([1, 2])
})

/** Returns a function that runs a full garbage collection. */
function collector(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc')
}

/** Four values of weight one, and no room for more. */
function filled() {
  const lru = weightedLru<number>(4, (weight) => weight)
  for (const key of letters) lru.set(key, 1)
  return lru
}
