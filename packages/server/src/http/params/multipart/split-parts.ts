import { parameterProblem } from '../../../platform/failure.ts'
import { type ChunkIterator, iterateChunks } from '../../../platform/object-store/bytes.ts'
import type { HeaderLines } from './part-headers.ts'

export interface Part {
  headers: HeaderLines
  /** The content of the part. Unread bytes are skipped before the next part. */
  content: ChunkIterator
}

const maxHeaderBytes = 16 * 1024
const endOfHeaders = Buffer.from('\r\n\r\n')
const lineBreak = endOfHeaders.subarray(2)
const dash = 0x2d

/**
 * Splits a multipart body (RFC 2046) at its boundary without copying it. Skips the bytes before the first boundary and
 * after the last one. An empty body has no parts. `next` returns the next chunk, or `undefined` at the end.
 */
export async function* splitParts(
  next: () => Promise<Buffer | undefined>,
  boundary: string,
): AsyncGenerator<Part, void> {
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1')
  const first = await next()
  if (!first) return
  let rest = first
  let isInContent = true

  const opening = delimiter.subarray(lineBreak.length)
  if (first.subarray(0, opening.length).equals(opening)) rest = first.subarray(opening.length)
  else {
    // A preamble may come first, or the chunk may end within the boundary. With a line break before it, the search below finds
    // the boundary in both cases.
    rest = Buffer.concat([lineBreak, first])
    await skip(untilDelimiter())
  }
  for (;;) {
    while (rest.length < 2) await more()
    if (rest[0] === dash && rest[1] === dash) return await skipEpilogue()
    const headers = readHeaderLines(await takeHeaders())
    isInContent = true
    yield { headers, content: untilDelimiter() }
    if (isInContent) await skip(untilDelimiter())
  }

  async function more(): Promise<void> {
    const chunk = await next()
    if (!chunk) throw malformed()
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
  }

  /** Reads to the end of the body: a form is complete only when the client has sent all of it. */
  async function skipEpilogue(): Promise<void> {
    while (await next());
  }

  function untilDelimiter(): Part['content'] {
    return iterateChunks(async () => {
      while (isInContent) {
        const at = rest.indexOf(delimiter)
        const bytes = rest.subarray(0, at < 0 ? possibleStart(rest, delimiter) : at)
        rest = rest.subarray(at < 0 ? bytes.length : at + delimiter.length)
        isInContent = at < 0
        if (bytes.length > 0) return { value: bytes, done: false }
        if (at < 0) await more()
      }
      return { value: undefined, done: true }
    })
  }

  /** Reads the headers: from the end of a boundary to the empty line. */
  async function takeHeaders(): Promise<string> {
    for (;;) {
      const end = rest.indexOf(endOfHeaders)
      if ((end < 0 ? rest.length - endOfHeaders.length : end) > maxHeaderBytes) throw unreadableHeaders()
      // A boundary directly after the empty line must not share its line break.
      const maxBytes = end < 0 ? rest.length : end + endOfHeaders.length + delimiter.length
      const at = rest.subarray(0, maxBytes).indexOf(delimiter)
      if (at >= 0 && (end < 0 || at < end + endOfHeaders.length)) throw unreadableHeaders()
      if (end >= 0 && rest.length >= maxBytes) {
        const block = rest.toString('latin1', 0, end)
        rest = rest.subarray(end + endOfHeaders.length)
        return block
      }
      await more()
    }
  }
}

/** Returns where an incomplete delimiter may begin. A delimiter contains one line break, at its start. */
function possibleStart(bytes: Buffer, delimiter: Buffer): number {
  const at = bytes.lastIndexOf('\r')
  if (at < 0 || bytes.length - at >= delimiter.length) return bytes.length
  return delimiter.subarray(0, bytes.length - at).equals(bytes.subarray(at)) ? at : bytes.length
}

/** Parses header lines up to the first malformed line and ignores the rest. */
function readHeaderLines(block: string): HeaderLines {
  const lines: HeaderLines = Object.create(null)
  let last: string[] | undefined
  for (const line of block.split('\r\n')) {
    if (/[\r\n]/.test(line)) break
    const isFolded = /^[ \t]/.test(line)
    if (line === '' || (isFolded && !last && line.trim() === '')) continue // a boundary may be followed by blanks
    if (isFolded && last) {
      last.push(`${last.pop()}${line}`)
      continue
    }
    const colon = line.indexOf(':')
    if (colon <= 0) break
    const name = line.slice(0, colon).toLowerCase()
    last = lines[name] ??= []
    last.push(line.slice(colon + 1).replace(/^[ \t]/, ''))
  }
  return lines
}

async function skip(content: AsyncIterable<Buffer>): Promise<void> {
  for await (const _ of content);
}

export const unreadableHeaders = () => parameterProblem('a part of the multipart body has unreadable headers')

export const malformed = () => parameterProblem('the multipart body is incomplete or malformed')
