import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { WrongFeed } from './feed.ts'

/** Consecutive lines of a file. */
export interface Lines {
  /** Number of the first of them, counted from 1. */
  first: number
  lines: string[]
  /** True if the file ends with the last of them, without a line break. */
  isUnfinished: boolean
}

/** Longer lines are refused, which bounds memory. A KEV catalogue may be one line. */
const maxLineLength = 32 * 1024 * 1024

/** Reads a file of UTF-8 text, compressed by gzip or not, in parts. Throws `WrongFeed` when it is damaged. */
export async function* readLines(path: string): AsyncGenerator<Lines> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let rest = ''
  let first = 1
  try {
    for await (const chunk of await openText(path)) {
      const text = rest + decoder.decode(chunk, { stream: true })
      const lines = text.split('\n')
      rest = lines.pop() ?? ''
      if (rest.length > maxLineLength) throw new WrongFeed('the line is too long', first + lines.length)
      if (lines.length > 0) yield { first, lines: lines.map(withoutReturn), isUnfinished: false }
      first += lines.length
    }
    rest += decoder.decode()
  } catch (error) {
    throw wrongFeedOf(error, first)
  }
  if (rest !== '') yield { first, lines: [withoutReturn(rest)], isUnfinished: true }
}

const withoutReturn = (line: string) => (line.endsWith('\r') ? line.slice(0, -1) : line)

async function openText(path: string): Promise<Readable> {
  const head = await readHead(path, 2)
  const source = createReadStream(path)
  const isCompressed = head.length === 2 && head.readUInt16BE() === 0x1f8b
  // The reader of the stream gets the error, also that of the file.
  return isCompressed ? pipeline(source, createGunzip(), () => {}) : source
}

/** Returns the first bytes of a file, fewer if it is shorter. */
export async function readHead(path: string, length: number): Promise<Buffer> {
  const file = await open(path)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0).finally(() => file.close())
  return buffer.subarray(0, bytesRead)
}

function wrongFeedOf(error: unknown, line: number): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return new WrongFeed('the text is not UTF-8', line)
  if (code.startsWith('Z_')) return new WrongFeed('the compressed file is truncated or damaged', line)
  return error
}

/** Returns the SHA-256 of a file. */
export async function digestFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk)
  return hash.digest('hex')
}
