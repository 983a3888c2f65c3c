/** One lossy pixel. */
export const lossy = Buffer.from('VlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA', 'base64')

export function riffChunk(type: string, content: string | Buffer): Buffer {
  const bytes = Buffer.from(content as string, 'latin1') // the overload of texts: an encoding means nothing to buffers
  const length = Buffer.alloc(4)
  length.writeUInt32LE(bytes.length)
  return Buffer.concat([Buffer.from(type, 'latin1'), length, bytes, Buffer.alloc(bytes.length % 2)])
}

/** Flags of an extended file: 0x02 animation, 0x04 XMP, 0x08 EXIF, 0x20 colour profile. */
export const extended = (flags: number) => riffChunk('VP8X', Buffer.from([flags, 0, 0, 0, 0, 0, 0, 0, 0, 0]))

export const animationFrame = (...chunks: readonly Buffer[]) =>
  riffChunk('ANMF', Buffer.concat([Buffer.alloc(16), ...chunks]))

export function makeWebp(...chunks: readonly Buffer[]): Buffer {
  return riffChunk('RIFF', Buffer.concat([Buffer.from('WEBP'), ...chunks]))
}
