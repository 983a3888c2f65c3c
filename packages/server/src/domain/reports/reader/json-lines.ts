/**
 * Maximum length of the first line by which a list of JSON documents is recognised. Longer lines are taken for one document.
 */
const maxFirstLine = 256 * 1024

/** Yields a text with one JSON document a line as one list. Any other text passes unchanged. */
export async function* linesAsList(text: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let head: Buffer[] | undefined = []
  let length = 0
  const isList = openRecognition()
  let convert: ((chunk: Buffer) => Buffer) | undefined
  for await (const chunk of text) {
    if (head) {
      head.push(chunk)
      length += chunk.length
      const isLines = isList(chunk)
      if (isLines === undefined && length < maxFirstLine) continue
      const start = Buffer.concat(head)
      head = undefined
      if (isLines) convert = startList()
      yield convert ? convert(start) : start
    } else yield convert ? convert(chunk) : chunk
  }
  if (head) {
    const all = Buffer.concat(head)
    if (oneLine.test(all.toString('latin1'))) convert = startList()
    yield convert ? convert(all) : all
  }
  if (convert) yield Buffer.from(']')
}

/** A line of `yarn audit`. A report without advisories has a single one. */
// Linear time: it is anchored, and each repetition ends at a character that it excludes.
const oneLine = /^\s*\{"(?:type":\s?"audit(?:Advisory|Summary)"|value":"[^"]{1,300}","children":\{)/

/**
 * Returns a function for the chunks of a text. It returns true when a second document follows the first line, false when
 * none does, and undefined when it needs the next chunk. No JSON document has an object after an object.
 */
function openRecognition(): (chunk: Buffer) => boolean | undefined {
  let hasBegun = false
  let hasLine = false
  /** Last byte of the first line so far, without blanks. */
  let last: number | undefined
  return (chunk) => {
    let at = 0
    if (!hasBegun) {
      at = chunk.findIndex((byte) => !isBlank(byte))
      if (at < 0) return undefined
      if (chunk[at] !== openBrace) return false
      hasBegun = true
    }
    if (!hasLine) {
      const end = chunk.indexOf(lineFeed, at)
      const line = chunk.subarray(at, end < 0 ? chunk.length : end)
      last = line.findLast((byte) => !isBlank(byte)) ?? last
      if (end < 0) return undefined
      if (last !== closeBrace) return false
      hasLine = true
      at = end
    }
    const second = chunk.subarray(at).find((byte) => !isBlank(byte))
    return second === undefined ? undefined : second === openBrace
  }
}

const isBlank = (byte: number | undefined): boolean => byte !== undefined && byte <= 0x20

/** Returns a function that puts commas between the lines. Line breaks stay, so that errors have the number of their line. */
function startList(): (chunk: Buffer) => Buffer {
  let isFirst = true
  let hasText = false
  let isNewLine = false
  return (chunk) => {
    const pieces: Buffer[] = isFirst ? [Buffer.from('[')] : []
    isFirst = false
    let from = 0
    for (let at = 0; at < chunk.length; ) {
      if (isNewLine) {
        while (at < chunk.length && isBlank(chunk[at])) at++
        if (at === chunk.length) break
        pieces.push(chunk.subarray(from, at), Buffer.from(','))
        from = at
        isNewLine = false
      }
      const end = chunk.indexOf(lineFeed, at)
      hasText ||= chunk.subarray(at, end < 0 ? chunk.length : end).some((byte) => byte > 0x20)
      if (end < 0) break
      isNewLine = hasText
      at = end + 1
    }
    pieces.push(chunk.subarray(from))
    return Buffer.concat(pieces)
  }
}

const [openBrace, closeBrace, lineFeed = 10] = Buffer.from('{}\n')
