import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { isKey, newObjectKey } from './key.ts'

test('new keys are valid, distinct, and sorted by their time', () => {
  const times = [
    '1999-12-31T23:59:59.999Z',
    '2026-11-29T00:00:00.000Z',
    '2026-11-29T00:00:00.001Z',
    '2126-01-01T00:00:00.000Z',
  ]
  const keys = times.map((time) => newObjectKey({ now: () => time, random: randomBytes }))
  expect(keys.toSorted()).toEqual(keys)
  expect(keys.every(isKey)).toBe(true)
  const key = () => newObjectKey({ now: () => '2026-11-29T00:00:00.000Z', random: randomBytes })
  expect(key()).not.toBe(key())
  expect(key()).toMatch(/^files\/[0-9a-f]{32}$/)
})
