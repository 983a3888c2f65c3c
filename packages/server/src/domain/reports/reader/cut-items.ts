import { openRest, type RestLimits, type RestOfDocument } from './cut-rest.ts'
import { enter, type Frame, type ItemPath, treeOf } from './item-paths.ts'
import { maxDepth, NotJson } from './json.ts'
import { unreadable } from './unreadable.ts'

/** Up to here looking at each byte is faster than to have the system search. */
const shortString = 32

/** One entry of a report, cut out and not parsed. */
export interface Cut {
  /** Which of the paths it was found on. */
  path: ItemPath
  /** JSON pointer of its list. */
  list: string
  index: number
  /** Where it begins in the text. */
  offset: number
  /** Undefined when it is larger than allowed. */
  bytes: Buffer | undefined
}

export interface CutLimits extends RestLimits {
  maxItemBytes: number
  /** Values, more or less: what parsing them takes goes by their number. */
  maxItemValues: number
  maxItems: number
}

/** The document without its entries. */
export interface Rest extends RestOfDocument {
  /** Of the whole text. */
  length: number
  /** An entry in which the text ends. */
  unfinished: Pick<Cut, 'bytes' | 'offset'> | undefined
}

export interface Cutter {
  /** The entries that end in this chunk. */
  push(chunk: Buffer): Cut[]
  /** Empty when the rest was not wanted. */
  end(): Rest
}

const [quote = 0, backslash, comma, colon, openList, closeList, openObject, closeObject] = Buffer.from('"\\,:[]{}')

/**
 * Cuts the entries out of a JSON text that arrives in chunks, without parsing it: only strings and brackets are
 * followed. What is not an entry is kept as it is written; parsing that and each entry finds whatever is wrong, except in
 * the lists themselves, which are checked here. `elide` leaves out every container below the root's keys instead.
 */
export function startCutting(
  paths: readonly ItemPath[],
  limits: CutLimits,
  { elide = false, keepRest = true }: { elide?: boolean; keepRest?: boolean } = {},
): Cutter {
  const root = treeOf(paths)
  const frames: Frame[] = []
  const rest = openRest(limits)
  let position = 0
  let items = 0

  // Of the value or key that is being passed over.
  let mode: 'structure' | 'key' | 'string' | 'container' | 'scalar' | 'prose' = 'structure'
  let hasBegun = false
  let depth = 0
  let inString = false
  let escaped = false
  /** Where its bytes go: an entry, the rest, or nowhere. */
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

  function push(chunk: Buffer): Cut[] {
    const cuts: Cut[] = []
    const length = chunk.length
    let at = 0
    // What lies between here and `at` is not yet given to the sink.
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
      cuts.push({ path, list: frame.pointer, index: frame.index, offset: began, bytes })
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
      // An item is read only inside of a frame.
      if (sink === 'item') finishItem(frames.at(-1) as Frame)
      else if (sink === 'nowhere') {
        // The closing bracket stays, to stand for an empty container.
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
      // `at` is below the length of the chunk.
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
        // Whatever brackets come later, they are none of a report: parsing tells where it goes wrong.
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
    return cuts
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

  /** Goes on behind the string's end, or to the chunk's; `inString` says which. */
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

  /** From one quote to the next; one behind an odd number of backslashes belongs to the string. */
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
