import { describe, expect, test } from 'vitest'
import { isProtected } from './protected-refs.ts'

describe('the names of protected refs', () => {
  test.for([
    ['main', 'main', true],
    ['main', 'mai', false],
    ['main', 'Main', false],
    ['release/*', 'release/1.0', true],
    ['release/*', 'release/', true],
    ['release/*', 'old/release/1.0', false],
    ['*-stable', '17-stable', true],
    ['*-stable', '17-stable-2', false],
    ['v*.*', 'v1.2', true],
    ['v*.*', 'v12', false],
    ['*', 'anything', true],
    ['ab*ba', 'aba', false],
    ['a*b*c', 'a-b-c', true],
    ['a*b*c', 'a-c-b', false],
    ['a*bc*c', 'abc', false],
    ['1.0', '1x0', false],
  ] as const)('%s matches %s: %s', ([pattern, name, expected]) => {
    expect(isProtected(name, ['other', pattern])).toBe(expected)
  })

  test('protect nothing when there are none', () => {
    expect(isProtected('main', [])).toBe(false)
  })
})
