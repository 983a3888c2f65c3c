import { describe, expect, test } from 'vitest'
import { encodeSecret, stepMs, stepOfCode, totpUri } from './totp.ts'

/** The secret and the codes of RFC 6238, appendix B, with the last six of their eight digits. */
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
const examples = [
  [59, '287082'],
  [1111111109, '081804'],
  [1111111111, '050471'],
  [1234567890, '005924'],
  [2000000000, '279037'],
] as const

const at = (ms: number) => new Date(ms).toISOString()

describe('a one-time code', () => {
  test('is accepted in the time step that it belongs to', async () => {
    for (const [seconds, code] of examples) {
      expect(await stepOfCode(secret, code, at(seconds * 1000))).toBe(Math.floor(seconds / 30))
    }
  })

  test('is accepted one step early and one step late, for clocks that differ', async () => {
    const start = 1234567890_000
    const step = Math.floor(start / stepMs)
    expect(await stepOfCode(secret, '005924', at(start - stepMs))).toBe(step)
    expect(await stepOfCode(secret, '005924', at(start + stepMs))).toBe(step)
    expect(await stepOfCode(secret, '005924', at(start - 2 * stepMs))).toBeUndefined()
    expect(await stepOfCode(secret, '005924', at(start + 2 * stepMs))).toBeUndefined()
  })

  test.each(['', '5924', '0059240', 'abcdef', '00592x', '١٢٣٤٥٦'])('is wrong as %j', async (code) => {
    expect(await stepOfCode(secret, code, at(1234567890_000))).toBeUndefined()
  })
})

test('a secret has 160 bits, and its address names server, account and parameters', async () => {
  const encoded = await encodeSecret(Buffer.from('12345678901234567890'))
  expect(encoded).toBe(secret)
  const uri = new URL(await totpUri(encoded, 'nadia', 'Alcove example.test'))
  expect(decodeURIComponent(`${uri.protocol}//${uri.host}${uri.pathname}`)).toBe(
    'otpauth://totp/Alcove example.test:nadia',
  )
  expect(Object.fromEntries(uri.searchParams)).toEqual({
    issuer: 'Alcove example.test',
    secret,
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  })
})
