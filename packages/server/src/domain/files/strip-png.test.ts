import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chunk, end, makePng, pixels, pngSignature } from '../../testing/pictures/png.ts'
import { makeTiff, type TiffField } from '../../testing/pictures/tiff.ts'
import { pngStripper } from './strip-png.ts'

const strip = (...chunks: readonly Buffer[]) => buffer(Readable.from(chunks, { objectMode: false }).pipe(pngStripper()))
const hex = (bytes: Buffer) => bytes.toString('hex')

const exif = (fields: readonly TiffField[]) => chunk('eXIf', makeTiff({ order: 'II', isBig: false }, [fields]))
const orientation = (value: number) =>
  chunk('eXIf', Buffer.from(`4d4d002a000000080001011200030000000100${hex(Buffer.of(value))}000000000000`, 'hex'))

const metadata = [
  chunk('tEXt', 'Author\0Secret Person'),
  chunk('zTXt', 'Comment\0\0Secret'),
  chunk('iTXt', 'XML:com.adobe.xmp\0\0\0\0\0Secret'),
  chunk('tIME', Buffer.from('07ea0b17102030', 'hex')),
  chunk('caBX', 'Secret claims'),
  chunk('mkBF', 'Secret layers'),
]
const colours = [
  chunk('gAMA', Buffer.from('0000b18f', 'hex')),
  chunk('cHRM', Buffer.alloc(32, 1)),
  chunk('iCCP', 'profile\0\0data'),
  chunk('pHYs', Buffer.alloc(9, 1)),
  chunk('tRNS', Buffer.alloc(6)),
]
const animation = [chunk('acTL', Buffer.alloc(8, 1)), chunk('fcTL', Buffer.alloc(26))]

test('stripping a PNG removes texts, times and chunks of editors, and keeps colours, animation and pixels', async () => {
  const frames = [chunk('fcTL', Buffer.alloc(26, 1)), chunk('fdAT', 'frame')]
  const given = makePng([...metadata, ...colours, ...animation, ...metadata], [...frames, ...metadata])
  expect(hex(await strip(given))).toBe(hex(makePng([...colours, ...animation], frames)))
})

test('stripping a PNG without metadata returns it unchanged', async () => {
  const given = makePng([...colours, ...animation, orientation(3)])
  expect(hex(await strip(given))).toBe(hex(given))
})

test('stripping a PNG reduces EXIF to the orientation', async () => {
  const given = makePng([exif([[271, 2, 'SecretCam'], [274, 3, [6]]]), exif([[274, 3, [3]]])]) // biome-ignore format: one field after the other
  expect(hex(await strip(given))).toBe(hex(makePng([orientation(6)])))
  for (const fields of [[[271, 2, 'SecretCam']], [[274, 3, [9]]]] as TiffField[][]) {
    expect(hex(await strip(makePng([exif(fields)])))).toBe(hex(makePng()))
  }
})

test('stripping a PNG removes what follows the end of the picture', async () => {
  expect(hex(await strip(makePng(), Buffer.from('Secret of a former picture')))).toBe(hex(makePng()))
})

test('stripping a PNG does not depend on how it arrives', async () => {
  const given = makePng([...metadata, exif([[274, 3, [6]]]), chunk('sPLT', Buffer.alloc(300_000, 7)), ...metadata])
  const whole = await strip(given)
  expect(whole.includes('Secret')).toBe(false)
  for (const size of [13, 997, 65_536]) {
    const chunks = Array.from({ length: Math.ceil(given.length / size) }, (_, index) =>
      given.subarray(index * size, (index + 1) * size),
    )
    expect((await strip(...chunks)).equals(whole)).toBe(true)
  }
})

test('a file without pixels, or that does not begin like a PNG, is unchanged', async () => {
  const others = [
    Buffer.concat([makePng([...metadata]).subarray(0, 150)]),
    Buffer.concat([pngSignature, ...metadata, ...pixels, end]),
    Buffer.concat([pngSignature, Buffer.from('Secret')]),
  ]
  for (const given of others) expect(hex(await strip(given))).toBe(hex(given))
})

test('a damaged PNG is copied from its first damaged chunk on', async () => {
  const [first, ...rest] = pixels
  const damaged = Buffer.concat([first ?? end, Buffer.from('\0\0\0\x05te t12345'), ...metadata, ...rest])
  const before = makePng().subarray(0, 33)
  expect(hex(await strip(before, ...metadata, damaged))).toBe(hex(Buffer.concat([before, damaged])))
})

test('a PNG cut anywhere loses nothing that a decoder needs and gains nothing', async () => {
  const given = makePng([...colours, ...metadata], metadata)
  const whole = await strip(given)
  for (let length = 0; length < given.length; length++) {
    const cut = given.subarray(0, length)
    const stripped = await strip(cut)
    // Without pixels it is unchanged.
    const isWholePrefix = whole.subarray(0, stripped.length).equals(stripped)
    expect([length, isWholePrefix || stripped.equals(cut)]).toEqual([length, true])
    if (isWholePrefix && cut.includes('IDAT')) expect(stripped.includes('Secret')).toBe(false)
  }
})

test('random changes of a PNG are never rejected and never make it longer', async () => {
  const given = makePng([...metadata, exif([[274, 3, [6]]]), ...colours], metadata)
  const changes = fc.array(fc.tuple(fc.nat(given.length - 1), fc.nat(255)), { maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(changes, fc.nat(given.length), async (changed, length) => {
      const bytes = Buffer.from(given)
      for (const [at, value] of changed) bytes[at] = value
      expect((await strip(bytes.subarray(0, length))).length).toBeLessThanOrEqual(length)
    }),
  )
})
