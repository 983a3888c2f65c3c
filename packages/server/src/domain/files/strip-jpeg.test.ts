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

test('what applications add to a picture goes; profile, density, colour transform and the picture stay', async () => {
  const [first, ...others] = metadataSegments
  const given = makeJpeg(jfif(), first ?? eoi, icc(1), ...others, icc(2), adobe)
  expect(given.toString('latin1')).toContain('Secret')

  expect(hex(await strip(given))).toBe(hex(makeJpeg(jfif(), orientation(6), icc(1), icc(2), adobe)))
})

test('a picture without metadata comes back byte for byte', async () => {
  for (const given of [makeJpeg(), makeJpeg(jfif(), icc(1), adobe), makeJpeg(adobe, orientation(8))]) {
    expect(hex(await strip(given))).toBe(hex(given))
  }
})

test.each(['II', 'MM'] as const)('every orientation stays, in byte order %s', async (order) => {
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
    'a resolution of nothing',
    [
      [282, 5, [300, 0]],
      [283, 5, [0, 1]],
    ],
  ],
])('EXIF with %s leaves nothing behind', async (_, fields) => {
  expect(hex(await strip(makeJpeg(exif(fields))))).toBe(hex(makeJpeg()))
})

test('broken EXIF leaves nothing behind, wherever it breaks', async () => {
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

test('a resolution that only EXIF knows stays', async () => {
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

test('a resolution that JFIF tells as well is not repeated', async () => {
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

test('only one EXIF segment is written: that of the first that tells something', async () => {
  const given = makeJpeg(exif([[315, 2, 'Secret']]), exif([[274, 3, [8]]]), exif([[274, 3, [3]]]))
  expect(hex(await strip(given))).toBe(hex(makeJpeg(orientation(8))))
})

test('the thumbnails of JFIF go, its density stays', async () => {
  const given = makeJpeg(
    jfif({ unit: 1, x: 96, y: 97, thumbnail: Buffer.alloc(30, 7) }),
    segment(0xe0, 'JFXX\0\x10Secret'),
  )
  expect(hex(await strip(given))).toBe(hex(makeJpeg(jfif({ unit: 1, x: 96, y: 97 }))))
})

test('metadata between the scans of a progressive picture goes too', async () => {
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

test('fill bytes before a marker are no obstacle', async () => {
  const fill = Buffer.alloc(3, 0xff)
  const given = Buffer.concat([soi, fill, ...metadataSegments.flatMap((each) => [each, fill]), picture])
  const stripped = await strip(given)
  expect(stripped.toString('latin1')).not.toContain('Secret')
  expect(hex(stripped).replace(/^ffd8(ff)+/, 'ffd8ff')).toBe(hex(makeJpeg(orientation(6))).replace('ffd8ff', 'ffd8ff'))
})

test('what comes behind the end of the picture goes', async () => {
  for (const behind of [
    makeJpeg(...metadataSegments),
    Buffer.from('\0\0\0\x18ftypmp42 Secret film'),
    Buffer.from('SEFT'),
  ]) {
    expect(hex(await strip(Buffer.concat([makeJpeg(jfif()), behind])))).toBe(hex(makeJpeg(jfif())))
  }
})

test('tables that are sent as a picture of their own do not end the file', async () => {
  const given = Buffer.concat([soi, quantisation, huffman, eoi, makeJpeg(...metadataSegments)])
  expect(hex(await strip(given))).toBe(hex(Buffer.concat([soi, quantisation, huffman, eoi, makeJpeg(orientation(6))])))
})

test('the remainder of metadata that says too small a length goes with it', async () => {
  const short = exif([[315, 2, 'Secret Person who lives in a street with a long name']])
  for (const before of [[], [jfif()]]) {
    const lying = Buffer.from(short)
    lying.writeUInt16BE(20, 2)
    expect(hex(await strip(makeJpeg(...before, lying)))).toBe(hex(makeJpeg(...before)))
  }
})

test('damage in the data that looks like metadata costs no more than up to the next restart', async () => {
  const data = (damage: string) => Buffer.from(`0102${damage}ffd303ff0004ffd9`, 'hex')
  const given = Buffer.concat([makeJpeg().subarray(0, -scanData.length - 2), data('ffe500041111' + '2222')])
  const clean = Buffer.concat([makeJpeg().subarray(0, -scanData.length - 2), data('')])
  expect(hex(await strip(given))).toBe(hex(clean))
})

test('a picture cut off in its data loses its metadata and nothing more', async () => {
  const given = makeJpeg(jfif(), ...metadataSegments)
  const clean = makeJpeg(jfif(), orientation(6))
  for (let missing = 0; missing < scanData.length; missing++) {
    expect(hex(await strip(given.subarray(0, given.length - missing)))).toBe(
      hex(clean.subarray(0, clean.length - missing)),
    )
  }
})

test('a file that is cut off before its picture begins stays as it is', async () => {
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
])('%s is no picture and stays as it is', async (content) => {
  expect(hex(await strip(Buffer.from(content, 'hex')))).toBe(content)
})

test('text that only begins like a JPEG stays as it is, short or long', async () => {
  for (const beginning of ['ffd8ffe0', 'ffd8ffe1', 'ffd8ffdb', 'ffd8fffe']) {
    const filler = Buffer.from('this is no picture \xff\xfe\0\x04, \xff\xda\0\x02', 'latin1')
    for (const bytes of [100, 70_000, 700_000]) {
      const given = Buffer.concat([Buffer.from(beginning, 'hex'), Buffer.alloc(bytes, filler)])
      expect((await strip(given.subarray(0, 300_000), given.subarray(300_000))).equals(given)).toBe(true)
    }
  }
})

test('a large picture is passed on while it arrives, with its metadata in any place', async () => {
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

test('a file of nothing but segments is not read to its end', async () => {
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

test('however it is damaged, cut off and divided, a file is never refused, hardly grows and is stripped at once', async () => {
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

test('the same in streams that are too large to be judged as a whole', async () => {
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
