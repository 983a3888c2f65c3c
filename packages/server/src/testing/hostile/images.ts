import fc from 'fast-check'

const twoBytes = fc.oneof(fc.nat(40), fc.constantFrom(0, 1, 0x7fff, 0x8000, 0xffff))
const fourBytes = fc.oneof(fc.nat(200), fc.constantFrom(0, 1, 8, 0x7fffffff, 0x80000000, 0xffffffff))
const tag = fc.constantFrom(
  0x0100,
  0x0101,
  0x0111,
  0x0112,
  0x0117,
  0x011a,
  0x014a,
  0x02bc,
  0x8298,
  0x8769,
  0x8825,
  0xa005,
)

const directory = fc
  .tuple(fc.array(fc.tuple(tag, fc.nat(14), fourBytes, fourBytes), { maxLength: 8 }), fourBytes, fc.option(twoBytes))
  .map(([entries, next, lie]) => {
    const fields = entries.flatMap(([tag, type, count, value]) => [two(tag), two(type), four(count), four(value)])
    return Buffer.concat([two(lie ?? entries.length), ...fields, four(next)])
  })

/** TIFF files whose directories may point to each other, to themselves or beyond the file. */
export const tiff = fc
  .tuple(fourBytes, fc.array(directory, { minLength: 1, maxLength: 3 }), fc.uint8Array({ maxLength: 60 }))
  .map(([first, directories, rest]) => {
    const offset = first % 3 === 0 ? first : 8
    return Buffer.concat([Buffer.from('MM\0*', 'latin1'), four(offset), ...directories, rest])
  })

const code = fc.constantFrom(
  0xe0,
  0xe1,
  0xe2,
  0xed,
  0xee,
  0xfe,
  0xc0,
  0xc4,
  0xdb,
  0xdd,
  0xda,
  0xd9,
  0xd8,
  0xd0,
  0xff,
  0,
)
const payload = fc.oneof(
  tiff.map((bytes) => Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), bytes])),
  fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
  fc
    .constantFrom('JFIF\0\x01\x02\0\0\0\0\0\0\0', 'ICC_PROFILE\0', 'Adobe\0', '')
    .map((text) => Buffer.from(text, 'latin1')),
)

/** JPEG files with segments in any order, some with a wrong length. */
export const jpeg = fc
  .array(fc.tuple(code, payload, fc.option(twoBytes, { freq: 4 })), { maxLength: 8 })
  .map((segments) => {
    const pieces = segments.flatMap(([code, body, lie]) => [
      Buffer.from([0xff, code]),
      two(lie ?? body.length + 2),
      body,
    ])
    return Buffer.concat([Buffer.from([0xff, 0xd8]), ...pieces, Buffer.from([0xff, 0xd9])])
  })

function two(value: number): Buffer {
  return Buffer.from([value >>> 8, value & 0xff])
}

function four(value: number): Buffer {
  return Buffer.concat([two(value >>> 16), two(value & 0xffff)])
}
