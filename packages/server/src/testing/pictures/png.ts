import { crc32, deflateSync } from 'node:zlib'

export const pngSignature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

export function chunk(type: string, content: string | Buffer = ''): Buffer {
  const bytes = Buffer.from(content as string, 'latin1') // the overload of texts: an encoding means nothing to buffers
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), bytes])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(bytes.length)
  check.writeUInt32BE(crc32(typed))
  return Buffer.concat([length, typed, check])
}

const header = chunk('IHDR', Buffer.from('00000002000000010802000000', 'hex'))
/** Two pixels, in two chunks. */
const rows = deflateSync(Buffer.from('00ff000000ff00', 'hex'))
export const pixels = [chunk('IDAT', rows.subarray(0, 5)), chunk('IDAT', rows.subarray(5))]
export const end = chunk('IEND')

/** Returns a PNG of two pixels with these chunks before and after the pixels. */
export function makePng(before: readonly Buffer[] = [], after: readonly Buffer[] = []): Buffer {
  return Buffer.concat([pngSignature, header, ...before, ...pixels, ...after, end])
}
