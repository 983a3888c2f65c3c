import { expect, test } from 'vitest'
import { allocateMapped, releaseMapped } from './mapped-buffer.ts'

test('a released buffer is empty', () => {
  const bytes = new Uint8Array(allocateMapped(1024 * 1024)).fill(1)
  releaseMapped(bytes.buffer)
  expect([bytes.length, bytes[0]]).toEqual([0, undefined])
})

test('releasing a small buffer has no effect', () => {
  const bytes = new Uint8Array(allocateMapped(1024)).fill(1)
  releaseMapped(bytes.buffer)
  expect([bytes.length, bytes[1023]]).toEqual([1024, 1])
})
