import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { digestToken, isExpired, isMintedToken, mintToken } from './tokens.ts'

test('a generated token is alpat- with 40 letters and digits, and is recognised', () => {
  for (let count = 0; count < 100; count++) {
    const token = mintToken(randomBytes)
    expect(token).toMatch(/^alpat-[0-9A-Za-z]{40}$/)
    expect(isMintedToken(token)).toBe(true)
  }
})

test('two generated tokens differ', () => {
  expect(mintToken(randomBytes)).not.toBe(mintToken(randomBytes))
})

test('bytes that would bias the characters are skipped', () => {
  let calls = 0
  const token = mintToken((bytes) => Buffer.alloc(bytes, calls++ === 0 ? 255 : 61))
  expect(token.slice(6, 40)).toBe('z'.repeat(34))
})

test.each([
  ['a changed character', (token: string) => token.slice(0, 10) + (token[10] === 'a' ? 'b' : 'a') + token.slice(11)],
  ['a missing character', (token: string) => token.slice(0, -1)],
  ['another prefix', (token: string) => `glpat-${token.slice(6)}`],
  ['nothing', () => ''],
])('a token with %s is not recognised', (_, change) => {
  expect(isMintedToken(change(mintToken(randomBytes)))).toBe(false)
})

test('a token is stored as its SHA-256 digest', () => {
  expect(digestToken('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})

test('a token is expired from its expiry date on', () => {
  expect(isExpired({ expiresOn: '2026-03-02' }, '2026-03-01T23:59:59.999Z')).toBe(false)
  expect(isExpired({ expiresOn: '2026-03-02' }, '2026-03-02T00:00:00.000Z')).toBe(true)
  expect(isExpired({ expiresOn: null }, '2999-01-01T00:00:00.000Z')).toBe(false)
})
