import { openRest, type RestLimits, type RestOfDocument } from './cut-rest.ts'
import { enter, type Frame, type ItemPath, treeOf } from './item-paths.ts'
import { maxDepth, NotJson } from './json.ts'
import { unreadable } from './unreadable.ts'

/** Length up to which a byte loop finds the end of a string faster than `indexOf`. */
const shortString = 32

/** The unparsed bytes of one entry of a report. */
export interface SplitRecord {
  /** The path that the entry matches. */
  path: ItemPath
  /** JSON pointer of the list that contains the entry. */
  list: string
  index: number
  /** Byte offset of the entry in the text. */
  offset: number
  /** Undefined when the entry exceeds the limits. */
  bytes: Buffer | undefined
}

export interface SplitLimits extends RestLimits {
  maxItemBytes: number
  /** Approximate number of values, which determines the memory that parsing needs. */
  maxItemValues: number
  maxItems: number
}

/** The document without its entries. */
export interface Rest extends RestOfDocument {
  /** Length of the whole text in bytes. */
  length: number
  /** The entry in which the text ends, if it is truncated. */
  unfinished: Pick<SplitRecord, 'bytes' | 'offset'> | undefined
}

export interface RecordSplitter {
  /** Returns the entries that end in this chunk. */
  push(chunk: Buffer): SplitRecord[]
  /** Returns the rest of the document; empty unless `keepRest`. */
  end(): Rest
}

const [quote = 0, backslash, comma, colon, openList, closeList, openObject, closeObject] = Buffer.from('"\\,:[]{}')

/**
 * Splits the entries off a JSON text that arrives in chunks, without parsing it: it tracks only strings and brackets.
 * Everything else is kept verbatim. Parsing the rest and each entry finds syntax errors, except in the lists of
 * entries, which are checked here. With `elide`, every container below the root's keys is dropped instead.
 */
export function openRecordSplitter(
  paths: readonly ItemPath[],
  limits: SplitLimits,
  { elide = false, keepRest = true }: { elide?: boolean; keepRest?: boolean } = {},
): RecordSplitter {
  const root = treeOf(paths)
  const frames: Frame[] = []
  const rest = openRest(limits)
  let position = 0
  let items = 0

  // State of the value or key that is being skipped.
  let mode: 'structure' | 'key' | 'string' | 'container' | 'scalar' | 'prose' = 'structure'
  let hasBegun = false
  let depth = 0
  let inString = false
  let escaped = false
  /** Destination of its bytes. */
  let sink: 'item' | 'rest' | 'nowhere' = 'rest'
  let parts: Buffer[] = []
  let partBytes = 0
  let values = 0
  let began = 0
  let key: string | undefined
  let isKeyNext = false

  const isTooLarge = () => partBytes > limits.maxItemBytes || values > limits.maxItemValues
  const collect = (bytes: Buffer): void => {
    partBytes += bytes.length
    if (!isTooLarge()) parts.push(bytes)
    else parts = []
  }

  function push(chunk: Buffer): SplitRecord[] {
    const records: SplitRecord[] = []
    const length = chunk.length
    let at = 0
    // Bytes from here to `at` have not been passed to the sink yet.
    let from = 0

    const flush = (end: number): void => {
      if (end > from) {
        const bytes = chunk.subarray(from, end)
        if (sink === 'rest' && keepRest) rest.keep(bytes, position + from)
        else if (sink === 'item') collect(bytes)
      }
      from = end
    }
    const finishItem = (frame: Frame): void => {
      flush(at)
      const bytes = isTooLarge() ? undefined : parts.length === 1 ? parts[0] : Buffer.concat(parts)
      const path = frame.node.each?.path ?? []
      records.push({ path, list: frame.pointer, index: frame.index, offset: began, bytes })
      if (++items > limits.maxItems) throw unreadable(`The report has more than ${limits.maxItems} findings.`)
      frame.index++
      frame.expects = 'comma or end'
      parts = []
      partBytes = 0
      values = 0
      sink = 'nowhere'
    }
    const finishValue = (): void => {
      mode = 'structure'
      if (sink === 'rest' && keepRest) rest.count(1 + values)
      if (sink !== 'item') values = 0
      // An entry always lies within a frame.
      if (sink === 'item') finishItem(frames.at(-1) as Frame)
      else if (sink === 'nowhere') {
        // Keep the closing bracket, which completes an empty container.
        from = at - 1
        sink = 'rest'
      }
    }

    while (at < length) {
      if (mode === 'container') {
        at = passContainer(chunk, at)
        if (depth === 0 && !inString) finishValue()
        continue
      }
      if (mode === 'string' || mode === 'key') {
        at = passString(chunk, at)
        if (inString) continue
        if (mode === 'key') {
          collect(chunk.subarray(Math.max(began - position, 0), at))
          key = keyOf(Buffer.concat(parts))
          parts = []
          partBytes = 0
          mode = 'structure'
        } else finishValue()
        continue
      }
      if (mode === 'prose') {
        at = length
        continue
      }
      // The loop condition guarantees that the index is valid.
      const byte = chunk[at] as number
      if (mode === 'scalar') {
        if (byte === comma || byte === closeList || byte === closeObject || byte <= 0x20) finishValue()
        else at++
        continue
      }
      if (byte <= 0x20) {
        at++
        continue
      }
      const frame = frames.at(-1)
      if (!hasBegun) {
        hasBegun = true
        // A text that does not begin with a bracket is no report; parsing it reports the position of the error.
        if (byte !== openObject && byte !== openList) mode = 'prose'
        if (mode === 'prose') continue
      }
      const isItems = frame?.isList === true && frame.node.each?.path !== undefined
      if (isItems) {
        if (byte === closeList && frame.expects !== 'item') {
          from = at
          sink = 'rest'
          frames.pop()
          at++
          continue
        }
        if (byte === comma && frame.expects === 'comma or end') {
          frame.expects = 'item'
          at++
          continue
        }
        if (frame.expects === 'comma or end' || !startsValue(byte)) {
          const expected =
            frame.expects === 'item' ? 'a value' : frame.expects === 'item or end' ? 'a value or "]"' : '"," or "]"'
          const shown = byte < 0x7f ? `unexpected "${String.fromCharCode(byte)}"` : 'unexpected character'
          throw new NotJson(position + at, `${shown}, expected ${expected}`)
        }
        began = position + at
        sink = 'item'
        from = at
        beginValue(byte)
        at++
        continue
      }
      if (byte === quote) {
        began = position + at
        inString = true
        mode = frame && !frame.isList && isKeyNext ? 'key' : 'string'
        at++
        continue
      }
      if (byte === openObject || byte === openList) {
        const inner = enter(root, frame, key, { isList: byte === openList, offset: position + at })
        at++
        if (inner) {
          frames.push(inner)
          if (keepRest) rest.count(1)
          isKeyNext = !inner.isList
          if (inner.isList && inner.node.each?.path) {
            flush(at)
            sink = 'nowhere'
          }
        } else {
          if (elide && frame) {
            flush(at)
            sink = 'nowhere'
          }
          depth = 1
          checkDepth()
          mode = 'container'
        }
        continue
      }
      if (byte === closeObject || byte === closeList) frames.pop()
      else if (byte === colon) isKeyNext = false
      else if (byte === comma && frame) {
        if (frame.isList) frame.index++
        else isKeyNext = true
      }
      at++
    }
    if (mode === 'key') collect(chunk.subarray(Math.max(began - position, 0)))
    flush(length)
    position += length
    return records
  }

  function beginValue(byte: number): void {
    if (byte === quote) {
      mode = 'string'
      inString = true
    } else if (byte === openObject || byte === openList) {
      mode = 'container'
      depth = 1
      checkDepth()
    } else mode = 'scalar'
  }

  function checkDepth(): void {
    if (frames.length + depth > maxDepth) {
      throw unreadable(`The report is nested more than ${maxDepth} levels deep, which is as deep as this server reads.`)
    }
  }

  function passContainer(chunk: Buffer, start: number): number {
    const length = chunk.length
    let at = start
    while (at < length) {
      if (inString) {
        at = passString(chunk, at)
        continue
      }
      const byte = chunk[at++]
      if (byte === quote) inString = true
      else if (byte === comma) values++
      else if (byte === openObject || byte === openList) {
        values++
        depth++
        if (frames.length + depth > maxDepth) checkDepth()
      } else if ((byte === closeObject || byte === closeList) && --depth === 0) break
    }
    return at
  }

  /** Skips to the end of the string or of the chunk; `inString` tells which one was reached. */
  function passString(chunk: Buffer, start: number): number {
    const length = chunk.length
    let at = start
    if (escaped && at < length) {
      at++
      escaped = false
    }
    const soon = Math.min(length, at + shortString)
    while (at < soon) {
      const byte = chunk[at++]
      if (byte === quote) {
        inString = false
        return at
      }
      if (byte === backslash) {
        if (at === length) escaped = true
        at++
      }
    }
    return at < length ? passLongString(chunk, at) : length
  }

  /** Searches for the closing quote. A quote after an odd number of backslashes is escaped. */
  function passLongString(chunk: Buffer, start: number): number {
    for (let at = start; ; ) {
      const found = chunk.indexOf(quote, at)
      const end = found < 0 ? chunk.length : found
      let before = end
      while (before > at && chunk[before - 1] === backslash) before--
      const isEscaped = (end - before) % 2 === 1
      if (found < 0) escaped = isEscaped
      else if (!isEscaped) inString = false
      if (found < 0 || !isEscaped) return found < 0 ? end : end + 1
      at = end + 1
    }
  }

  return {
    push,
    end: () => ({
      ...rest.end(),
      length: position,
      unfinished:
        sink === 'item' ? { bytes: isTooLarge() ? undefined : Buffer.concat(parts), offset: began } : undefined,
    }),
  }
}

const startsValue = (byte: number): boolean =>
  byte !== comma && byte !== colon && byte !== closeList && byte !== closeObject

function keyOf(bytes: Buffer): string | undefined {
  try {
    const key: unknown = JSON.parse(bytes.toString('utf8'))
    return typeof key === 'string' ? key : undefined
  } catch {
    return undefined
  }
}
