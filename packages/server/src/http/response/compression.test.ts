import { randomBytes } from 'node:crypto'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { chooseEncoding, compress } from './compression.ts'

describe('Accept-Encoding', () => {
  test.each([
    [undefined, undefined],
    ['', undefined],
    ['identity', undefined],
    ['deflate, zstd', undefined],
    ['gzip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br', 'br'],
    ['*', 'br'],
    ['gzip;q=1.0, br;q=0.5', 'gzip'],
    ['br;q=0.5, gzip ; q=0.5', 'br'],
    ['br;q=0, *', 'gzip'],
    ['br;q=0, gzip;q=0', undefined],
    ['*;q=0', undefined],
    ['identity, gzip;q=0.5', undefined],
    ['identity;q=0.5, gzip;q=0.5', 'gzip'],
    ['identity;q=0, *;q=0.001', 'br'],
    ['gzip;q=2', undefined],
    ['gzip;q=x', undefined],
    ['gzip;q', 'gzip'],
    [',;, gzip,', 'gzip'],
    [`gzip,${' '.repeat(500)}`, undefined],
  ])('%j selects %j', (header, encoding) => {
    expect(chooseEncoding(header)).toBe(encoding)
    expect(chooseEncoding(header)).toBe(encoding)
  })
})

test.each([1, 2000, 64 * 1024, 64 * 1024 + 1, 1024 * 1024])('a body of %i bytes is complete', async (bytes) => {
  const body = Buffer.from(randomBytes(bytes).toString('hex').slice(0, bytes))
  expect(brotliDecompressSync(await compress(body, 'br')).equals(body)).toBe(true)
  expect(gunzipSync(await compress(body, 'gzip')).equals(body)).toBe(true)
})

test('a body above 64 KiB is compressed on another thread', () => {
  for (const encoding of ['br', 'gzip'] as const) {
    expect(compress(Buffer.alloc(64 * 1024), encoding)).toBeInstanceOf(Buffer)
    expect(compress(Buffer.alloc(64 * 1024 + 1), encoding)).toBeInstanceOf(Promise)
  }
})
