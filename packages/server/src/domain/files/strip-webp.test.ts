import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { makeTiff, type TiffField } from '../../testing/pictures/tiff.ts'
import { animationFrame, extended, lossy, makeWebp, riffChunk } from '../../testing/pictures/webp.ts'
import { webpStripper } from './strip-webp.ts'

const strip = (...chunks: readonly Buffer[]) =>
  buffer(Readable.from(chunks, { objectMode: false }).pipe(webpStripper()))
const hex = (bytes: Buffer) => bytes.toString('hex')

const exifData = (fields: readonly TiffField[]) => makeTiff({ order: 'II', isBig: false }, [fields])
const camera: TiffField[] = [
  [271, 2, 'SecretCam'],
  [274, 3, [6]],
]
const oriented = Buffer.from('4d4d002a0000000800010112000300000001000600000000', 'hex')
/** Content of the same length that begins with these bytes. */
const padded = (beginning: Buffer, length: number) =>
  Buffer.concat([beginning, Buffer.alloc(length - beginning.length)])
const profile = riffChunk('ICCP', 'a colour profile')
const xmp = riffChunk('XMP ', '<x:xmpmeta>Secret</x:xmpmeta>')
const blank = (of: Buffer) => Buffer.concat([Buffer.from('JUNK'), of.subarray(4, 8), Buffer.alloc(of.length - 8)])

test('stripping a WebP removes XMP and unknown chunks, and keeps profile, picture and length', async () => {
  const other = riffChunk('C2PA', 'Secret claims!!')
  const given = makeWebp(extended(0x24), profile, lossy, xmp, other)
  expect(hex(await strip(given))).toBe(hex(makeWebp(extended(0x20), profile, lossy, blank(xmp), blank(other))))
})

test('stripping a WebP reduces EXIF to the orientation, with and without its prefix', async () => {
  for (const data of [exifData(camera), Buffer.concat([Buffer.from('Exif\0\0'), exifData(camera)])]) {
    const stripped = await strip(makeWebp(extended(0x08), lossy, riffChunk('EXIF', data)))
    expect(hex(stripped)).toBe(hex(makeWebp(extended(0x08), lossy, riffChunk('EXIF', padded(oriented, data.length)))))
  }
  const plain = exifData([[271, 2, 'SecretCam']])
  const stripped = await strip(makeWebp(extended(0x08), lossy, riffChunk('EXIF', plain)))
  expect(stripped.includes('Secret')).toBe(false)
  expect(stripped.length).toBe(makeWebp(extended(0x08), lossy, riffChunk('EXIF', plain)).length)
})

test('stripping a WebP without metadata returns it unchanged', async () => {
  for (const given of [makeWebp(lossy), makeWebp(extended(0x20), profile, lossy)]) {
    expect(hex(await strip(given))).toBe(hex(given))
  }
})

test('stripping an animated WebP keeps its frames and removes unknown chunks in them', async () => {
  const animated = riffChunk('ANIM', Buffer.alloc(6, 1))
  const alpha = riffChunk('ALPH', 'alpha')
  const inner = riffChunk('NOTE', 'Secret')
  const given = makeWebp(extended(0x06), animated, animationFrame(alpha, lossy, inner), animationFrame(lossy), xmp)
  const expected = [animated, animationFrame(alpha, lossy, blank(inner)), animationFrame(lossy), blank(xmp)]
  expect(hex(await strip(given))).toBe(hex(makeWebp(extended(0x02), ...expected)))
})

test('stripping a WebP removes what follows its container', async () => {
  expect(hex(await strip(makeWebp(lossy), Buffer.from('Secret')))).toBe(hex(makeWebp(lossy)))
})

test('stripping a WebP does not depend on how it arrives', async () => {
  const large = riffChunk('ICCP', Buffer.alloc(300_001, 7))
  const given = makeWebp(extended(0x2c), large, lossy, riffChunk('EXIF', exifData(camera)), xmp)
  const whole = await strip(given)
  expect(whole.includes('Secret')).toBe(false)
  expect(whole.length).toBe(given.length)
  for (const size of [13, 997, 65_536]) {
    const chunks = Array.from({ length: Math.ceil(given.length / size) }, (_, index) =>
      given.subarray(index * size, (index + 1) * size),
    )
    expect((await strip(...chunks)).equals(whole)).toBe(true)
  }
})

test('a file without a picture, or that does not begin like a WebP, is unchanged', async () => {
  const others = [
    makeWebp(extended(0x04), xmp),
    Buffer.concat([Buffer.from('RIFF\x04\0\0\0WEBP', 'latin1'), lossy, xmp]),
    Buffer.concat([Buffer.from('RIFF\x04\0\0\0WEBPVP8X'), xmp]),
  ]
  for (const given of others) expect(hex(await strip(given))).toBe(hex(given))
})

test('a WebP cut anywhere is cut at the same place after stripping', async () => {
  const given = makeWebp(extended(0x2c), profile, lossy, riffChunk('EXIF', exifData(camera)), xmp)
  for (let length = 0; length < given.length; length++) {
    const stripped = await strip(given.subarray(0, length))
    expect(stripped.length).toBe(length)
    expect(stripped.includes('Secret')).toBe(false)
  }
})

test('random changes of a WebP are never rejected and never make it longer', async () => {
  const given = makeWebp(extended(0x2e), profile, animationFrame(lossy), riffChunk('EXIF', exifData(camera)), xmp)
  const changes = fc.array(fc.tuple(fc.nat(given.length - 1), fc.nat(255)), { maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(changes, fc.nat(given.length), async (changed, length) => {
      const bytes = Buffer.from(given)
      for (const [at, value] of changed) bytes[at] = value
      expect((await strip(bytes.subarray(0, length))).length).toBeLessThanOrEqual(length)
    }),
  )
})
