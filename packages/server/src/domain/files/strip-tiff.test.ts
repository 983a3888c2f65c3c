import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { makeTiff, readTiff, type TiffField, type TiffForm, tiffForms } from '../../testing/pictures/tiff.ts'
import { stripTiff } from './strip-tiff.ts'

const folder = await mkdtemp(join(tmpdir(), 'alcove-tiff-'))
afterAll(() => rm(folder, { recursive: true }))

async function strip(content: Buffer): Promise<Buffer> {
  const path = join(folder, 'a.tiff')
  await writeFile(path, content)
  const file = await open(path, 'r+')
  try {
    await stripTiff(file, content.length)
  } finally {
    await file.close()
  }
  return readFile(path)
}

const classic: TiffForm = { order: 'II', isBig: false }

const pixels = (byte: number, bytes = 600) => Buffer.alloc(bytes, byte)

/** Picture data that must be kept: size, pixels, orientation, resolution and colour profile. */
const essential = (byte: number): TiffField[] => [
  [256, 3, [20]],
  [257, 3, [30]],
  [258, 3, [8, 8, 8]],
  [262, 3, [2]],
  [273, 4, { data: [pixels(byte), pixels(byte + 1)] }],
  [274, 3, [6]],
  [279, 4, [600, 600]],
  [282, 5, [300, 1]],
  [283, 5, [300, 1]],
  [296, 3, [2]],
  [34675, 7, Buffer.alloc(300, 'profile')],
  [37439, 12, Buffer.alloc(8, 1)],
  [65123, 7, Buffer.alloc(40, 'an unknown tag')],
]

const personal: TiffField[] = [
  [269, 2, 'Secret document'],
  [270, 2, 'Secret description'],
  [271, 2, 'Secret make'],
  [272, 2, 'Secret model'],
  [305, 2, 'Secret software'],
  [306, 2, '2026:01:02 03:04:05 Secret'],
  [315, 2, 'Sec'],
  [316, 2, 'Secret computer'],
  [700, 1, Buffer.from('<x:xmpmeta>Secret place</x:xmpmeta>')],
  [33432, 2, 'Secret copyright'],
  [33723, 7, Buffer.from('\x1c\x02\x50\0\x06Secret by-line')],
  [34377, 7, Buffer.from('8BIM Secret resources')],
  [
    34665,
    4,
    {
      directories: [
        [
          [33434, 5, [1, 125]],
          [36867, 2, 'Secret time'],
          [37500, 7, Buffer.from('Secret maker note')],
          [40965, 4, { directories: [[[1, 2, 'Secret interoperability']]] }],
          [42033, 2, 'Secret serial number'],
        ],
      ],
    },
  ],
  [
    34853,
    4,
    {
      directories: [
        [
          [1, 2, 'N'],
          [2, 5, [52, 1, 30, 1, 58, 1]],
          [29, 2, 'Secret date'],
        ],
      ],
    },
  ],
  [40091, 1, Buffer.from('Secret title', 'utf16le')],
  [40095, 1, Buffer.from('Secret subject', 'utf16le')],
  [42032, 2, 'Secret owner'],
]

const byTag = (...fields: TiffField[]) => fields.sort((one, other) => one[0] - other[0])
const secrets = [Buffer.from('Secret'), Buffer.from('Secret', 'utf16le'), Buffer.from('Sec\0')]
const hasSecret = (tiff: Buffer) => secrets.some((secret) => tiff.includes(secret))
const tagsOf = (fields: readonly TiffField[]) => fields.map(([tag]) => tag)

describe.each(tiffForms)('TIFF format %o', (form) => {
  test('loses personal fields on every page and keeps what the image needs', async () => {
    const reduced: TiffField[] = byTag([254, 4, [1]], ...essential(70), ...personal)
    const given = makeTiff(form, [
      byTag(...essential(10), ...personal),
      byTag(...essential(20), [330, 4, { directories: [reduced, byTag(...essential(80), ...personal)] }], ...personal),
      essential(30),
    ])
    const stripped = await strip(given)

    expect(hasSecret(given)).toBe(true)
    expect(hasSecret(stripped)).toBe(false)
    expect(stripped.length).toBe(given.length)
    const [before, after] = [readTiff(given), readTiff(stripped)]
    expect(after.map(({ values }) => [...values.keys()])).toEqual([
      tagsOf(essential(10)),
      tagsOf(byTag(...essential(20), [330, 4, []])),
      tagsOf(essential(30)),
    ])
    after.forEach(({ values, numbers }, page) => {
      for (const [tag, value] of values) expect([tag, value]).toEqual([tag, before[page]?.values.get(tag)])
      for (const [index, at] of numbers(273).entries()) {
        expect(stripped.subarray(at, at + 600).equals(pixels((page + 1) * 10 + index))).toBe(true)
      }
    })
    const offsets = after[1]?.numbers(330) ?? []
    expect(offsets.length).toBe(2)
    for (const at of offsets)
      expect(countAt(form, stripped, at)).toBe(essential(1).length + (at === offsets[0] ? 1 : 0))
    expect((await strip(stripped)).equals(stripped)).toBe(true)
  })

  test('is read once when its directories form a cycle', async () => {
    const given = makeTiff(form, [byTag(...essential(10), ...personal), byTag(...essential(20), ...personal)])
    const [first, second] = readTiff(given)
    if (!first || !second) throw new Error('two pages were made')
    for (const [from, to] of [
      [second, first],
      [second, second],
      [first, first],
    ] as const) {
      const round = Buffer.from(given)
      writeOffset(form, round, endOf(form, given, from.at), to.at)
      const stripped = await strip(round)
      expect(countAt(form, stripped, first.at)).toBe(essential(1).length)
      expect(countAt(form, stripped, second.at)).toBe((from === first ? personal.length : 0) + essential(1).length)
    }
  })

  test('loses directory entries whose values overlap the image, which is not changed', async () => {
    const given = makeTiff(form, [
      byTag(...essential(10), [700, 1, Buffer.alloc(50, 'x')], [34665, 4, [9]], [34853, 4, [11]]),
    ])
    const [page] = readTiff(given)
    if (!page) throw new Error('a page was made')
    const [strip1 = 0] = page.numbers(273)
    for (const at of [strip1, strip1 - 2, strip1 + 590, page.at, 0]) {
      const crossed = Buffer.from(given)
      writeOffset(form, crossed, valueFieldOf(form, crossed, page.at, 700), at)
      writeOffset(form, crossed, valueFieldOf(form, crossed, page.at, 34853), page.at)
      const stripped = await strip(crossed)
      expect(readTiff(stripped)[0]?.numbers(273)).toEqual(page.numbers(273))
      expect(countAt(form, stripped, page.at)).toBe(essential(1).length)
      expect(stripped.subarray(strip1, strip1 + 600).equals(pixels(10))).toBe(true)
    }
  })
})

test('a TIFF whose pixels overlap its directory is unchanged', async () => {
  const withoutStrips = essential(10).filter(([tag]) => tag !== 273 && tag !== 279)
  const given = makeTiff(classic, [byTag(...withoutStrips, [273, 4, [0]], [279, 4, [50]], ...personal)])
  const at = readTiff(given)[0]?.at ?? 0
  for (const start of [at - 10, at, at + 30]) {
    given.writeUInt32LE(start, valueFieldOf(classic, given, at, 273))
    expect((await strip(given)).equals(given)).toBe(true)
  }
  given.writeUInt32LE(at - 50, valueFieldOf(classic, given, at, 273))
  expect(countAt(classic, await strip(given), at)).toBe(essential(10).length)
})

test('a TIFF with overlapping directories is unchanged', async () => {
  const given = makeTiff(classic, [byTag(...essential(10), ...personal)])
  const [page] = readTiff(given)
  const at = page?.at ?? 0
  writeOffset(classic, given, endOf(classic, given, at), at + 12) // reads its own entries as another page
  given.writeUInt16LE(1, at + 12)
  expect((await strip(given)).equals(given)).toBe(true)
})

test('an old TIFF without strip lengths loses its metadata', async () => {
  const fields = byTag(...essential(10).filter(([tag]) => tag !== 279), ...personal)
  const stripped = await strip(makeTiff(classic, [fields]))
  const [page] = readTiff(stripped)
  expect([...(page?.values.keys() ?? [])]).toEqual(tagsOf(essential(10)).filter((tag) => tag !== 279))
  for (const [index, at] of (page?.numbers(273) ?? []).entries()) {
    expect(stripped.subarray(at, at + 600).equals(pixels(10 + index))).toBe(true)
  }
})

test('tiles and embedded JPEGs are not changed', async () => {
  const tiles = Array.from({ length: 9000 }, (_, number) => Buffer.alloc(2, number % 251))
  const fields: TiffField[] = byTag(
    [324, 4, { data: tiles }],
    [325, 3, tiles.map(({ length }) => length)],
    [513, 4, { data: [pixels(99)] }],
    [514, 4, [600]],
    [519, 4, { data: [pixels(98, 64)] }],
    [520, 4, { data: [pixels(1, 32)] }],
    ...personal,
  )
  const given = makeTiff(classic, [fields])
  const stripped = await strip(given)
  const [page] = readTiff(stripped)
  expect(hasSecret(stripped)).toBe(false)
  expect(page?.numbers(324).map((at) => stripped[at])).toEqual(tiles.map(([byte]) => byte))
  expect(stripped.subarray(page?.numbers(513)[0]).subarray(0, 600).equals(pixels(99))).toBe(true)
})

test('metadata that overlaps the header or old JPEG tables does not overwrite them', async () => {
  const codes = Buffer.from([0, 2, ...Array.from({ length: 14 }, () => 0), 1, 2])
  const fields: TiffField[] = [
    [519, 4, { data: [pixels(98, 64)] }],
    [520, 4, { data: [codes] }],
    [700, 1, Buffer.alloc(6, 'x')],
  ]
  const given = makeTiff(classic, [fields])
  const at = readTiff(given)[0]?.at ?? 0
  for (const place of [0, given.indexOf(pixels(98, 64)) + 60, given.indexOf(codes) + 14]) {
    given.writeUInt32LE(place, valueFieldOf(classic, given, at, 700))
    const stripped = await strip(given)
    expect(stripped.subarray(0, at).equals(given.subarray(0, at))).toBe(true)
    expect(countAt(classic, stripped, at)).toBe(2)
  }
})

test.each<[string, TiffField[]]>([
  ['DNG', [[50706, 1, [1, 4, 0, 0]]]],
  ['a color filter on its own page', [[330, 4, { directories: [[[262, 3, [32803]]]] }]]],
  ['a linear raw image', [[330, 4, { directories: [[[262, 3, [34892]]]] }]]],
  ['a color filter pattern', [[33421, 1, [0, 1, 1, 2]]]],
])('a raw image keeps the metadata that it needs: %s', async (_, fields) => {
  const given = makeTiff(classic, [byTag(...essential(10), ...fields, ...personal)])
  expect((await strip(given)).equals(given)).toBe(true)
})

test('a Canon raw image is recognised by its header', async () => {
  const given = makeTiff(classic, [
    [
      [256, 3, [1]],
      [273, 4, { data: [pixels(0)] }],
      [271, 2, 'Secret make'],
    ],
  ])
  given.write('CR\x02\0', 8, 'latin1')
  expect((await strip(given)).equals(given)).toBe(true)
})

test.each([
  '',
  'II',
  'II*\0',
  'MM\0*\0\0\0\0',
  'II*\0\xff\xff\xff\xff',
  'II*\0\x08\0\0\0',
  'II+\0\x08\0\0\0\x10\0\0\0\0\0\0\0',
  'MM\0+\0\x04\0\0\0\0\0\0\0\0\0\x10',
])('%j contains no image and is unchanged', async (text) => {
  const given = Buffer.from(text, 'latin1')
  expect((await strip(given)).equals(given)).toBe(true)
})

test('a TIFF with too many pages or entries is unchanged', async () => {
  const page = Buffer.alloc(18)
  page.writeUInt16LE(1)
  page.writeUInt16LE(315, 2)
  const given = Buffer.concat([Buffer.from('II*\0\x08\0\0\0', 'latin1'), Buffer.alloc(18 * 12_000, page)])
  for (let index = 0; index < 11_999; index++) given.writeUInt32LE(8 + (index + 1) * 18, 8 + index * 18 + 14)
  expect((await strip(given)).equals(given)).toBe(true)

  const wide = Buffer.alloc(8 + 2 + 65_000 * 12 + 4)
  wide.write('II*\0\x08\0\0\0', 'latin1')
  wide.writeUInt16LE(65_000, 8)
  expect((await strip(wide)).equals(wide)).toBe(true)
})

const anyTiff = fc
  .constantFrom(...tiffForms)
  .chain((form) =>
    fc.constantFrom(
      makeTiff(form, [byTag(...essential(10), ...personal)]),
      makeTiff(form, [
        byTag(...essential(10), [330, 4, { directories: [byTag(...essential(40), ...personal)] }], ...personal),
        essential(30),
      ]),
    ),
  )

test('a damaged or truncated TIFF keeps its length, and stripping is idempotent', async () => {
  const byte = fc.oneof(fc.constantFrom(0, 1, 8, 0xff), fc.nat({ max: 255 }))
  // Most corruptions affect the structure: the header, and the directories at the end.
  const place = fc.oneof(fc.nat({ max: 40 }), fc.nat({ max: 12_000 }))
  await fc.assert(
    fc.asyncProperty(
      anyTiff,
      fc.array(fc.tuple(place, fc.boolean(), byte), { maxLength: 20 }),
      fc.nat({ max: 9000 }),
      async (tiff, changes, cut) => {
        const given = Buffer.from(tiff.subarray(0, cut % 3 === 0 ? cut : tiff.length))
        for (const [at, fromEnd, value] of changes) {
          const index = fromEnd ? given.length - 1 - at : at
          if (index >= 0 && index < given.length) given[index] = value
        }
        const stripped = await strip(given)
        expect(stripped.length).toBe(given.length)
        expect((await strip(stripped)).equals(stripped)).toBe(true)
      },
    ),
    { numRuns: 200 },
  )
})

function widths({ isBig }: TiffForm) {
  return isBig ? { count: 8, entry: 20, offset: 8 } : { count: 2, entry: 12, offset: 4 }
}

function countAt(form: TiffForm, tiff: Buffer, at: number): number {
  const bytes = Buffer.from(tiff.subarray(at, at + widths(form).count))
  return Number(`0x${(form.order === 'II' ? bytes.reverse() : bytes).toString('hex')}`)
}

/** Offset of a directory's link to the next one. */
function endOf(form: TiffForm, tiff: Buffer, at: number): number {
  return at + widths(form).count + countAt(form, tiff, at) * widths(form).entry
}

function valueFieldOf(form: TiffForm, tiff: Buffer, at: number, tag: number): number {
  const { count, entry, offset } = widths(form)
  const wanted = Buffer.from([tag >> 8, tag & 255])
  if (form.order === 'II') wanted.reverse()
  for (let place = at + count; place < endOf(form, tiff, at); place += entry) {
    if (tiff.subarray(place, place + 2).equals(wanted)) return place + 4 + offset
  }
  throw new Error(`there is no tag ${tag}`)
}

function writeOffset(form: TiffForm, tiff: Buffer, at: number, value: number): void {
  const bytes = Buffer.alloc(widths(form).offset)
  bytes.writeUInt32BE(value, bytes.length - 4)
  if (form.order === 'II') bytes.reverse()
  bytes.copy(tiff, at)
}
