import { expect, test } from 'vitest'
import { findContents, packContents } from './stored-contents.ts'

const [uuid, other] = ['4961388b-9d8e-5da0-a499-3ef5da58daf0', 'dd190b37-7754-5c7c-80a0-85621a5823ad']
const [digest, changed] = ['a'.repeat(40), 'b'.repeat(40)]

test('a stored content is found by its uuid and digest together', () => {
  const isStored = findContents(
    packContents([
      { uuid, digest },
      { uuid: other, digest: changed },
    ]),
  )
  expect(isStored(uuid, digest)).toBe(true)
  expect(isStored(other, changed)).toBe(true)
  expect(isStored(uuid, changed)).toBe(false)
  expect(isStored(other, digest)).toBe(false)
})

test('thousands of stored contents are all found', () => {
  const stored = Array.from({ length: 5000 }, (_, index) => ({ uuid: `${uuid}${index}`, digest }))
  const isStored = findContents(packContents(stored))
  expect(stored.filter(({ uuid, digest }) => !isStored(uuid, digest))).toEqual([])
  expect(stored.filter(({ uuid }) => isStored(uuid, changed))).toEqual([])
})
