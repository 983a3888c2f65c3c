import { expect, test } from 'vitest'
import { matchesPattern } from './filter.ts'

test.each([
  ['main', 'main', true],
  ['main', 'main2', false],
  ['release/*', 'release/1.2', true],
  ['release/*', 'release/', true],
  ['release/*', 'prerelease/1', false],
  ['*', 'anything', true],
  ['*-fix', 'a-fix-fix', true],
  ['a*b*c', 'a-b-b-c', true],
  ['a*b*c', 'a-c-b', false],
  ['aa*aa', 'aaa', false],
  ['a.c', 'abc', false],
])('the pattern %s compared with the ref %s gives %s', (pattern, ref, expected) => {
  expect(matchesPattern(pattern, ref)).toBe(expected)
})

test('a pattern with many asterisks takes little time', () => {
  const started = performance.now()
  expect(matchesPattern('a*'.repeat(120), 'a'.repeat(119))).toBe(false)
  expect(performance.now() - started).toBeLessThan(4_000)
})
