import { expect, test } from 'vitest'
import { startPointerList } from './pointer-list.ts'

test('returns every pointer as it was added', () => {
  const pointers = [
    '/vulnerabilities/0',
    '/vulnerabilities/1',
    '/vulnerabilities/01',
    '/vulnerabilities/999999999',
    '/vulnerabilities/4294967295',
    '/vulnerabilities/99999999999999999999',
    '/vulnerabilities/1/affects/2',
    '/vulnerabilities/1/affects/',
    '/runs/0/results/7',
    '/a\n/3',
    '',
    '/',
    '7',
    ...Array.from({ length: 5000 }, (_, number) => `/Results/${number % 3}/Vulnerabilities/${number}`),
  ]
  const list = startPointerList()
  const ordinals = pointers.map((pointer) => list.push(pointer))
  expect(ordinals).toEqual(pointers.map((_, index) => index))
  expect(ordinals.map((ordinal) => list.at(ordinal))).toEqual(pointers)
})
