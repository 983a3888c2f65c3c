import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  adobe,
  eoi,
  exif,
  frame,
  huffman,
  icc,
  jfif,
  makeJpeg,
  metadataSegments,
  picture,
  quantisation,
  scanData,
  scanHeader,
  segment,
  soi,
} from '../../testing/pictures/jpeg.ts'
import type { TiffField } from '../../testing/pictures/tiff.ts'
import { jpegStripper } from './strip-jpeg.ts'

const strip = (...chunks: readonly Buffer[]) =>
  buffer(Readable.from(chunks, { objectMode: false }).pipe(jpegStripper()))
const hex = (bytes: Buffer) => bytes.toString('hex')

/** Returns an EXIF segment in the form that the stripper writes. */
const orientation = (value: number) =>
  Buffer.from(`ffe100224578696600004d4d002a000000080001011200030000000100${hex(Buffer.of(value))}000000000000`, 'hex')

test('stripping a JPEG removes application metadata and keeps color profile, density, color transform and image', async () => {
  const [first, ...others] = metadataSegments
  const given = makeJpeg(jfif(), first ?? eoi, icc(1), ...others, icc(2), adobe)
  expect(given.toString('latin1')).toContain('Secret')

  expect(hex(await strip(given))).toBe(hex(makeJpeg(jfif(), orientation(6), icc(1), icc(2), adobe)))
})

test('stripping a JPEG without metadata returns it unchanged', async () => {
  for (const given of [makeJpeg(), makeJpeg(jfif(), icc(1), adobe), makeJpeg(adobe, orientation(8))]) {
    expect(hex(await strip(given))).toBe(hex(given))
  }
})

test.each(['II', 'MM'] as const)('stripping a JPEG keeps every orientation, in byte order %s', async (order) => {
  for (const value of [1, 2, 3, 4, 5, 6, 7, 8]) {
    const given = makeJpeg(exif([[271, 2, 'Secret'], [274, 3, [value]]], order)) // biome-ignore format: one field after the other
    expect(hex(await strip(given))).toBe(hex(makeJpeg(orientation(value))))
  }
})

test.each<[string, readonly TiffField[]]>([
  ['no orientation', [[271, 2, 'Secret']]],
  ['orientation 0', [[274, 3, [0]]]],
  ['orientation 9', [[274, 3, [9]]]],
  ['two orientations', [[274, 3, [6, 6]]]],
  // Browsers ignore the orientation of such a picture, so it must not gain one.
  ['an orientation of another type', [[274, 4, [6]]]],
  ['a resolution in one direction only', [[282, 5, [300, 1]]]],
  [
    'a resolution of zero',
    [
      [282, 5, [300, 0]],
      [283, 5, [0, 1]],
    ],
  ],
])('stripping a JPEG removes EXIF with %s', async (_, fields) => {
  expect(hex(await strip(makeJpeg(exif(fields))))).toBe(hex(makeJpeg()))
})

test('stripping a JPEG removes damaged EXIF, wherever the damage is', async () => {
  const whole = exif([
    [274, 3, [6]],
    [282, 5, [300, 1]],
    [283, 5, [300, 1]],
  ]).subarray(4)
  for (let length = 0; length < whole.length; length++) {
    const stripped = await strip(makeJpeg(segment(0xe1, whole.subarray(0, length))))
    expect(hex(stripped)).toContain(hex(picture))
    if (length < 18) expect(hex(stripped)).toBe(hex(makeJpeg()))
  }
  const zip = Buffer.from(whole)
  zip.write('PK')
  expect(hex(await strip(makeJpeg(segment(0xe1, zip))))).toBe(hex(makeJpeg()))
})

const inches = (x: number, y = x): TiffField[] => [
  [282, 5, [x, 1]],
  [283, 5, [y, 1]],
  [296, 3, [2]],
]

test('stripping a JPEG keeps a resolution that only EXIF contains', async () => {
  const kept = `ffe1004a${hex(Buffer.from('Exif\0\0MM\0*\0\0\0\x08', 'latin1'))}0003${[
    '011a0005000000010000 0032',
    '011b0005000000010000003a',
    '012800030000000100020000',
    '00000000',
    '0000012c00000001',
    '0000009600000001',
  ].join('')}`.replaceAll(' ', '')
  for (const unrelated of [[], [jfif({ unit: 0, x: 1, y: 1 })], [jfif({ unit: 2, x: 300, y: 150 })]]) {
    const stripped = await strip(makeJpeg(...unrelated, exif(inches(300, 150))))
    expect(hex(stripped)).toBe(hex(makeJpeg(...unrelated, Buffer.from(kept, 'hex'))))
  }
})

test('stripping a JPEG drops an EXIF resolution that JFIF contains too', async () => {
  const [density, centimetres] = [jfif({ unit: 1, x: 300, y: 300 }), jfif({ unit: 2, x: 118, y: 118 })]
  expect(hex(await strip(makeJpeg(density, exif(inches(300)))))).toBe(hex(makeJpeg(density)))
  expect(hex(await strip(makeJpeg(density, exif([...inches(300), [274, 3, [3]]]))))).toBe(
    hex(makeJpeg(density, orientation(3))),
  )
  const same: TiffField[] = [
    [282, 5, [236, 2]],
    [283, 5, [118, 1]],
    [296, 3, [3]],
  ]
  expect(hex(await strip(makeJpeg(centimetres, exif(same))))).toBe(hex(makeJpeg(centimetres)))
})

test('stripping a JPEG writes one EXIF segment, from the first with an orientation or resolution', async () => {
  const given = makeJpeg(exif([[315, 2, 'Secret']]), exif([[274, 3, [8]]]), exif([[274, 3, [3]]]))
  expect(hex(await strip(given))).toBe(hex(makeJpeg(orientation(8))))
})

test('stripping a JPEG removes JFIF thumbnails and keeps the density', async () => {
  const given = makeJpeg(
    jfif({ unit: 1, x: 96, y: 97, thumbnail: Buffer.alloc(30, 7) }),
    segment(0xe0, 'JFXX\0\x10Secret'),
  )
  expect(hex(await strip(given))).toBe(hex(makeJpeg(jfif({ unit: 1, x: 96, y: 97 }))))
})

test('stripping a JPEG removes metadata between the scans of a progressive image', async () => {
  const parts = (...between: Buffer[]) =>
    Buffer.concat([
      soi,
      frame,
      huffman,
      scanHeader,
      scanData,
      ...between,
      huffman,
      scanHeader,
      scanData,
      ...between,
      eoi,
    ])
  const lines = segment(0xdc, Buffer.of(0, 8))
  expect(hex(await strip(parts(lines, ...metadataSegments)))).toBe(hex(parts(lines)))
})

test('stripping a JPEG skips fill bytes before a marker', async () => {
  const fill = Buffer.alloc(3, 0xff)
  const given = Buffer.concat([soi, fill, ...metadataSegments.flatMap((each) => [each, fill]), picture])
  const stripped = await strip(given)
  expect(stripped.toString('latin1')).not.toContain('Secret')
  expect(hex(stripped).replace(/^ffd8(ff)+/, 'ffd8ff')).toBe(hex(makeJpeg(orientation(6))).replace('ffd8ff', 'ffd8ff'))
})

test('stripping a JPEG removes everything after the end of the image', async () => {
  for (const behind of [
    makeJpeg(...metadataSegments),
    Buffer.from('\0\0\0\x18ftypmp42 Secret film'),
    Buffer.from('SEFT'),
  ]) {
    expect(hex(await strip(Buffer.concat([makeJpeg(jfif()), behind])))).toBe(hex(makeJpeg(jfif())))
  }
})

test('stripping a JPEG continues after tables that form an image of their own', async () => {
  const given = Buffer.concat([soi, quantisation, huffman, eoi, makeJpeg(...metadataSegments)])
  expect(hex(await strip(given))).toBe(hex(Buffer.concat([soi, quantisation, huffman, eoi, makeJpeg(orientation(6))])))
})

test('stripping a JPEG removes the remainder of metadata whose length field is too small', async () => {
  const short = exif([[315, 2, 'Secret Person who lives in a street with a long name']])
  for (const before of [[], [jfif()]]) {
    const lying = Buffer.from(short)
    lying.writeUInt16BE(20, 2)
    expect(hex(await strip(makeJpeg(...before, lying)))).toBe(hex(makeJpeg(...before)))
  }
})

test('stripping a JPEG drops at most one restart interval when image data looks like metadata', async () => {
  const data = (damage: string) => Buffer.from(`0102${damage}ffd303ff0004ffd9`, 'hex')
  const given = Buffer.concat([makeJpeg().subarray(0, -scanData.length - 2), data('ffe500041111' + '2222')])
  const clean = Buffer.concat([makeJpeg().subarray(0, -scanData.length - 2), data('')])
  expect(hex(await strip(given))).toBe(hex(clean))
})

test('stripping a JPEG that is cut off in its image data removes its metadata and nothing else', async () => {
  const given = makeJpeg(jfif(), ...metadataSegments)
  const clean = makeJpeg(jfif(), orientation(6))
  for (let missing = 0; missing < scanData.length; missing++) {
    expect(hex(await strip(given.subarray(0, given.length - missing)))).toBe(
      hex(clean.subarray(0, clean.length - missing)),
    )
  }
})

test('stripping a JPEG that is cut off before its image data keeps its length', async () => {
  const given = makeJpeg(jfif(), ...metadataSegments)
  for (let length = 0; length < given.indexOf(scanHeader); length += 3) {
    expect((await strip(given.subarray(0, length))).length).toBe(length)
  }
})

test.each([
  '',
  'ff',
  'ffd8',
  'ffd8ff',
  'ffd8ffe0',
  'ffd8ffe000',
  'ffd8ffe000104a46494600',
  'ffd8ffe000000000ffd9',
  'ffd8ffd9ffda',
  'ffd8ff0102030405ffda0002ffd9',
  '89504e470d0a1a0affe100064142ffda0002',
])('stripping returns %s unchanged, because it is no image', async (content) => {
  expect(hex(await strip(Buffer.from(content, 'hex')))).toBe(content)
})

test('stripping returns a text that begins like a JPEG unchanged, short or long', async () => {
  for (const beginning of ['ffd8ffe0', 'ffd8ffe1', 'ffd8ffdb', 'ffd8fffe']) {
    const filler = Buffer.from('this is no picture \xff\xfe\0\x04, \xff\xda\0\x02', 'latin1')
    for (const bytes of [100, 70_000, 700_000]) {
      const given = Buffer.concat([Buffer.from(beginning, 'hex'), Buffer.alloc(bytes, filler)])
      expect((await strip(given.subarray(0, 300_000), given.subarray(300_000))).equals(given)).toBe(true)
    }
  }
})

test('stripping a JPEG passes on a large image while it arrives, without metadata at any position', async () => {
  const data = Buffer.alloc(256 * 1024, scanData)
  const late = Buffer.concat([segment(0xfe, 'Secret'), scanHeader])
  const stripper = jpegStripper()
  let out = 0
  stripper.on('data', (chunk: Buffer) => {
    out += chunk.length
    expect(chunk.includes('Secret')).toBe(false)
  })
  let given = 0
  for (const chunk of [makeJpeg(...metadataSegments).subarray(0, -2), data, late, data, late, data]) {
    stripper.write(chunk)
    given += chunk.length
    await new Promise(setImmediate)
    expect(given - out).toBeLessThan(300 * 1024)
  }
  stripper.end(eoi)
})

test('stripping a JPEG stops reading a file that consists of segments only', async () => {
  const given = makeJpeg(Buffer.alloc(800_000, Buffer.of(0xff, 0xfe, 0, 2)))
  const stripped = await strip(given)
  expect(stripped.length).toBeGreaterThan(given.length / 2)
  expect(stripped.length).toBeLessThan(given.length)
})

const anyJpeg = fc
  .array(fc.constantFrom(jfif(), icc(1), adobe, orientation(3), quantisation, ...metadataSegments), { maxLength: 12 })
  .map((segments) => makeJpeg(...segments))
const damage = fc.array(
  fc.tuple(fc.nat({ max: 3000 }), fc.oneof(fc.constantFrom(0xff, 0xd8, 0xe1, 0, 2), fc.nat({ max: 255 }))),
  {
    maxLength: 12,
  },
)

test('stripping accepts any damaged or truncated JPEG in any chunks, hardly grows it, and is idempotent', async () => {
  const cuts = fc.array(fc.nat({ max: 3000 }), { maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(anyJpeg, damage, fc.nat({ max: 3000 }), cuts, async (jpeg, changes, length, cuts) => {
      const given = Buffer.from(jpeg.subarray(0, length))
      for (const [at, byte] of changes) if (at < given.length) given[at] = byte
      const stripped = await strip(given)

      expect(stripped.length).toBeLessThanOrEqual(given.length + 100)
      expect(hex(await strip(stripped))).toBe(hex(stripped))
      const ends = [0, ...cuts, given.length].sort((one, other) => one - other)
      const chunks = ends.slice(1).map((end, index) => given.subarray(ends[index], end))
      expect(hex(await strip(...chunks))).toBe(hex(stripped))
    }),
    { numRuns: 500 },
  )
})

test('stripping accepts any damaged or truncated JPEG that exceeds the buffer, and is idempotent', async () => {
  const padding = segment(0xdb, Buffer.alloc(65_000, 5))
  const large = Array.from({ length: 5 }, () => padding)
  await fc.assert(
    fc.asyncProperty(anyJpeg, damage, fc.integer({ min: 100, max: 400_000 }), async (jpeg, changes, size) => {
      const given = Buffer.concat([makeJpeg(...large).subarray(0, 325_000), jpeg.subarray(2)])
      for (const [at, byte] of changes) if (at < jpeg.length - 2) given[325_000 + at] = byte
      const chunks = Array.from({ length: Math.ceil(given.length / size) }, (_, index) =>
        given.subarray(index * size, (index + 1) * size),
      )
      const stripped = await strip(...chunks)
      expect(stripped.length).toBeLessThanOrEqual(given.length + 100)
      expect((await strip(stripped)).equals(stripped)).toBe(true)
    }),
    { numRuns: 50 },
  )
})
