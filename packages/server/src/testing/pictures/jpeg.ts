import { makeTiff, type TiffField } from './tiff.ts'

export const soi = Buffer.of(0xff, 0xd8)
export const eoi = Buffer.of(0xff, 0xd9)

export function segment(code: number, content: string | Buffer): Buffer {
  const bytes = Buffer.from(content as string, 'latin1') // the overload of texts: an encoding means nothing to buffers
  const head = Buffer.of(0xff, code, 0, 0)
  head.writeUInt16BE(bytes.length + 2, 2)
  return Buffer.concat([head, bytes])
}

interface Jfif {
  /** 0 none, 1 inch, 2 centimetre. */
  unit?: number
  x?: number
  y?: number
  thumbnail?: Buffer
}

export function jfif({ unit = 0, x = 1, y = 1, thumbnail = Buffer.alloc(0) }: Jfif = {}): Buffer {
  const fixed = Buffer.from('JFIF\0\x01\x02\0\0\0\0\0\0\0', 'latin1')
  fixed.writeUInt8(unit, 7)
  fixed.writeUInt16BE(x, 8)
  fixed.writeUInt16BE(y, 10)
  fixed.writeUInt8(thumbnail.length > 0 ? 1 : 0, 12)
  fixed.writeUInt8(thumbnail.length / 3, 13)
  return segment(0xe0, Buffer.concat([fixed, thumbnail]))
}

export function exif(fields: readonly TiffField[], order: 'II' | 'MM' = 'II'): Buffer {
  return segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0'), makeTiff({ order, isBig: false }, [fields])]))
}

export const icc = (number: number) => segment(0xe2, `ICC_PROFILE\0${String.fromCharCode(number)}\x02colours`)
export const adobe = segment(0xee, 'Adobe\0\x64\0\0\0\0\x01')
export const quantisation = segment(0xdb, Buffer.alloc(65, 3))
export const frame = segment(0xc0, Buffer.from('080008000801011100', 'hex'))
export const huffman = segment(0xc4, Buffer.alloc(20, 1))
export const scanHeader = segment(0xda, Buffer.from('0101003f00', 'hex'))
/** Every byte but 0xff, which comes stuffed and with all eight restarts. */
export const scanData = Buffer.concat([
  Buffer.from(Array.from({ length: 255 }, (_, byte) => byte)),
  ...Array.from({ length: 8 }, (_, number) => Buffer.of(0xff, 0x00, 0x55, 0xff, 0xd0 + number)),
  Buffer.of(0x12, 0xff, 0x00),
])

/** A JPEG with well-formed headers and data but meaningless content. */
export const picture = Buffer.concat([quantisation, frame, huffman, scanHeader, scanData, eoi])

/** Returns a JPEG with these segments before the image data. */
export function makeJpeg(...segments: readonly Buffer[]): Buffer {
  return Buffer.concat([soi, ...segments, picture])
}

/** Segments of cameras and editors in the order of real files. */
export const metadataSegments: readonly Buffer[] = [
  exif([
    [271, 2, 'SecretCam'],
    [274, 3, [6]],
    [315, 2, 'Secret Person'],
    [34665, 4, { directories: [[[42033, 2, 'Secret Serial']]] }],
    [34853, 4, { directories: [[[2, 5, [52, 1, 30, 1, 58, 1]]]] }],
  ]),
  segment(0xe1, 'http://ns.adobe.com/xap/1.0/\0<x:xmpmeta>Secret Place</x:xmpmeta>'),
  segment(0xe1, 'http://ns.adobe.com/xmp/extension/\0Secret Place'),
  segment(0xe2, 'MPF\0II*\0Secret index'),
  segment(0xe2, 'FPXR\0Secret preview'),
  ...Array.from({ length: 11 }, (_, number) => segment(0xe3 + number, `Secret of APP${3 + number}`)),
  segment(0xed, 'Photoshop 3.0\x008BIM\x04\x04\0\0Secret By-line'),
  segment(0xef, 'Secret of APP15'),
  segment(0xfe, 'Secret comment'),
]
