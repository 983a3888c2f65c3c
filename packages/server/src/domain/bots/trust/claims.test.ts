import { describe, expect, test } from 'vitest'
import { isRestrictive, matchesClaims, matchesPattern, readPatterns } from './claims.ts'

describe('a pattern of a claim', () => {
  test.each([
    ['acme/site', 'acme/site', true],
    ['acme/site', 'acme/Site', false],
    ['acme/site', 'acme/*', true],
    ['acme/web/site', 'acme/*', true],
    ['acme', 'acme/*', false],
    ['evil/acme/site', 'acme/*', false],
    ['acme/site-evil', 'acme/site', false],
    ['repo:acme/site:ref:refs/heads/main', 'repo:acme/*:ref:refs/heads/main', true],
    ['repo:acme/site:ref:refs/heads/other', 'repo:acme/*:ref:refs/heads/main', false],
    ['a', 'a*a', false],
    ['aa', 'a*a', true],
    ['abc', '*b*', true],
    ['abc', '*b*b*', false],
    ['', '*', true],
    ['a.c', 'a.c', true],
    ['abc', 'a.c', false],
    ['abc', 'a?c', false],
  ])('compares %j with %j', (text, pattern, matches) => {
    expect(matchesPattern(text, pattern)).toBe(matches)
  })

  test('with many stars takes no more time for a long text', () => {
    const text = 'a'.repeat(8_000)
    const started = performance.now()
    expect(matchesPattern(text, `${'a*'.repeat(500)}b`)).toBe(false)
    expect(performance.now() - started).toBeLessThan(4_000)
  })
})

test('all claims must match one of their patterns', () => {
  const patterns = { project_path: ['acme/*', 'other/site'], ref_protected: ['true'] }
  expect(matchesClaims({ project_path: 'acme/site', ref_protected: 'true' }, patterns)).toBe(true)
  expect(matchesClaims({ project_path: 'other/site', ref_protected: true }, patterns)).toBe(true)
  expect(matchesClaims({ project_path: 'other/place', ref_protected: 'true' }, patterns)).toBe(false)
  expect(matchesClaims({ project_path: 'acme/site' }, patterns)).toBe(false)
  expect(matchesClaims({ project_path: { path: 'acme/site' }, ref_protected: 'true' }, patterns)).toBe(false)
  expect(matchesClaims({ project_path: ['x', 'acme/site'], ref_protected: 'true' }, patterns)).toBe(true)
  expect(matchesClaims({}, { toString: ['*'] })).toBe(false)
  expect(matchesClaims({}, {})).toBe(true)
})

test('patterns are texts, numbers, booleans or lists of them', () => {
  expect(readPatterns({ a: 'x', b: ['x', 1], c: true })).toEqual({ a: ['x'], b: ['x', '1'], c: ['true'] })
  for (const invalid of [{ a: '' }, { a: [] }, { a: {} }, { a: null }, { a: ['x', {}] }, { '': 'x' }]) {
    expect(readPatterns(invalid)).toBeUndefined()
  }
})

test('patterns are restrictive when one claim excludes some value', () => {
  expect(isRestrictive({ a: ['*'], b: ['acme/*'] })).toBe(true)
  expect(isRestrictive({ a: ['*'] })).toBe(false)
  expect(isRestrictive({ a: ['acme', '**'] })).toBe(false)
  expect(isRestrictive({})).toBe(false)
})
