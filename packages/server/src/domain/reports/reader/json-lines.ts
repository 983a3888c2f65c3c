/**
 * Maximum length of the first line by which a list of JSON documents is recognised. Longer lines are taken for one document.
 */
const maxFirstLine = 256 * 1024

/** Yields a text with one JSON document a line as one list. Any other text passes unchanged. */
export async function* linesAsList(text: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let head: Buffer | undefined = Buffer.alloc(0)
  let convert: ((chunk: Buffer) => Buffer) | undefined
  for await (const chunk of text) {
    if (head) {
      head = Buffer.concat([head, chunk])
      const isLines = holdsLines(head)
      if (isLines === undefined && head.length < maxFirstLine) continue
      if (isLines) convert = startList()
      yield convert ? convert(head) : head
      head = undefined
    } else yield convert ? convert(chunk) : chunk
  }
  if (head) {
    if (oneLine.test(head.toString('latin1'))) convert = startList()
    yield convert ? convert(head) : head
  }
  if (convert) yield Buffer.from(']')
}

/** A line of `yarn audit`. A report without advisories has a single one. */
// Linear time: it is anchored, and each repetition ends at a character that it excludes.
const oneLine = /^\s*\{"(?:type":\s?"audit(?:Advisory|Summary)"|value":"[^"]{1,300}","children":\{)/

/**
 * Returns true if a second document follows the first line, and undefined when more of the text is needed. No JSON document
 * has an object after an object.
 */
function holdsLines(head: Buffer): boolean | undefined {
  const start = head.findIndex((byte) => byte > 0x20)
  if (start < 0) return undefined
  if (head[start] !== openBrace) return false
  const end = head.indexOf(lineFeed, start)
  if (end < 0) return undefined
  let last = end - 1
  while (isBlank(head[last])) last--
  if (head[last] !== closeBrace) return false
  const second = head.subarray(end).find((byte) => byte > 0x20)
  return second === undefined ? undefined : second === openBrace
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
