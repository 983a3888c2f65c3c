import { isUtf8 } from 'node:buffer'
import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { unreadable } from './unreadable.ts'

/**
 * Opens the bytes of a report file from the beginning. A report is read more than once. `openReading` accepts buffers that
 * are reused for the next ones; other readers keep buffers and need `copies` of those.
 */
export type OpenBytes = () => AsyncIterable<Uint8Array> | Promise<AsyncIterable<Uint8Array>>

/** Maximum size of a copied chunk. A reading thread has about nine at once, most of them garbage. */
const maxChunkBytes = 128 * 1024

/** Copies and splits chunks, for readers that retain them, because the owner of a chunk may reuse its memory for the next one. */
export async function* copies(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for await (const chunk of chunks) {
    for (let start = 0; start < chunk.length; start += maxChunkBytes) {
      // `slice` of a `Buffer` would not copy.
      yield new Uint8Array(chunk.subarray(start, start + maxChunkBytes))
    }
  }
}

export interface SourceLimits {
  /** Maximum size of the uncompressed text. */
  maxBytes: number
  /** Maximum compression ratio, checked after `ratioFromBytes` bytes of output. */
  maxRatio: number
  ratioFromBytes: number
}

export const sourceLimits: SourceLimits = {
  maxBytes: 1024 * 1024 * 1024,
  maxRatio: 200,
  ratioFromBytes: 16 * 1024 * 1024,
}

/** Yields the file as UTF-8 text without byte order mark: decompresses gzip and converts UTF-16. */
export async function* openText(open: OpenBytes, limits = sourceLimits): AsyncGenerator<Buffer> {
  const packed = startingWith(await open())
  const isGzip = (await packed.head).subarray(0, 2).equals(gzipMagic)
  const unpacked = isGzip ? startingWith(gunzip(packed.all(), limits)) : packed
  const head = await unpacked.head
  if (isGzip && head.subarray(0, 2).equals(gzipMagic)) throw unreadable('The file is compressed with gzip twice.')

  const text = head[0] === 0xff && head[1] === 0xfe ? 'utf-16le' : head[0] === 0xfe && head[1] === 0xff && 'utf-16be'
  let bytes = 0
  for await (const chunk of text ? fromUtf16(unpacked.all(), text) : unpacked.all()) {
    const clean = bytes === 0 && chunk.subarray(0, 3).equals(byteOrderMark) ? chunk.subarray(3) : chunk
    bytes += chunk.length
    if (bytes > limits.maxBytes) {
      throw unreadable(`The report has more than ${Math.floor(limits.maxBytes / 1024 / 1024)} MiB of text.`)
    }
    yield clean
  }
}

/** Returns true if the file is gzip; reads its first bytes only. */
export async function isGzip(open: OpenBytes): Promise<boolean> {
  const { head, close } = startingWith(await open())
  const isMagic = (await head).subarray(0, 2).equals(gzipMagic)
  await close()
  return isMagic
}

const gzipMagic = Buffer.from([0x1f, 0x8b])
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])

interface Started {
  /** The first four bytes, or fewer if the file is shorter. */
  head: Promise<Buffer>
  /** Yields all bytes, including the head. */
  all: () => AsyncIterable<Buffer>
  /** Closes the source; called instead of `all`. */
  close: () => Promise<void>
}

function startingWith(bytes: AsyncIterable<Uint8Array>): Started {
  const iterator = bytes[Symbol.asyncIterator]()
  const first: Buffer[] = []
  const read = async () => {
    for (let length = 0; length < 4; ) {
      const { done, value } = await iterator.next()
      if (done) break
      first.push(Buffer.from(value))
      length += value.length
    }
    return Buffer.concat(first)
  }
  const head = read()
  return {
    head,
    close: async () => void (await iterator.return?.()),
    async *all() {
      try {
        const start = await head
        if (start.length > 0) yield start
        for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield asBuffer(next.value)
      } finally {
        await iterator.return?.()
      }
    },
  }
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

async function* gunzip(packed: AsyncIterable<Buffer>, limits: SourceLimits): AsyncGenerator<Buffer> {
  let read = 0
  let made = 0
  const counted = async function* () {
    for await (const chunk of packed) {
      read += chunk.length
      yield chunk
    }
  }
  const input = Readable.from(counted(), { objectMode: false })
  const unzipped = createGunzip({ chunkSize: 128 * 1024 })
  input.on('error', (error) => unzipped.destroy(error))
  try {
    for await (const chunk of input.pipe(unzipped) as AsyncIterable<Buffer>) {
      made += chunk.length
      if (made > limits.ratioFromBytes && made > read * limits.maxRatio) {
        throw unreadable(`The file unpacks to more than ${limits.maxRatio} times its size, which no report does.`)
      }
      yield chunk
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (!code.startsWith('Z_')) throw error
    throw unreadable(`The file is gzip, and damaged or cut off (${code}).`)
  } finally {
    input.destroy()
    unzipped.destroy()
  }
}

/** Converts UTF-16 to UTF-8. Lone surrogates become U+FFFD, as escaped ones do. */
async function* fromUtf16(bytes: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder(encoding)
  for await (const chunk of bytes) yield Buffer.from(decoder.decode(chunk, { stream: true }))
  yield Buffer.from(decoder.decode())
}

/** Passes the text through and throws at the first byte that is not valid UTF-8. */
export async function* checkUtf8(text: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let pending: Buffer = Buffer.alloc(0)
  let offset = 0
  let line = 1
  const refuse = (piece: Buffer) => {
    // Decoding replaces the first invalid byte by U+FFFD, so it is the first byte that a round trip changes.
    const survived = Buffer.from(piece.toString('utf8'))
    const differs = piece.findIndex((byte, index) => byte !== survived[index])
    const at = differs < 0 ? piece.length - 1 : differs
    const hex = (piece[at] ?? 0).toString(16).padStart(2, '0')
    const place = `byte 0x${hex} at offset ${offset + at} (line ${line + countLines(piece.subarray(0, at))})`
    return unreadable(`The file is not UTF-8 text: ${place} cannot stand there. Save it as UTF-8 and send it again.`)
  }
  for await (const chunk of text) {
    const piece = pending.length > 0 ? Buffer.concat([pending, chunk]) : chunk
    const whole = piece.length - unfinishedCharacter(piece)
    if (!isUtf8(piece.subarray(0, whole))) throw refuse(piece)
    offset += whole
    line += countLines(piece.subarray(0, whole))
    pending = piece.subarray(whole)
    yield chunk
  }
  if (pending.length > 0) throw refuse(pending)
}

/** Returns the number of bytes at the end that begin an unfinished character. */
function unfinishedCharacter(piece: Buffer): number {
  for (let back = 1; back <= Math.min(3, piece.length); back++) {
    const byte = piece[piece.length - back] ?? 0
    if ((byte & 0xc0) === 0x80) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return length > back ? back : 0
  }
  return 0
}

export function countLines(bytes: Buffer): number {
  let lines = 0
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) lines++
  return lines
}
