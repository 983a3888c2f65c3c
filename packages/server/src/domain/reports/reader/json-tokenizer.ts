import { maxDepth } from './json.ts'
import { unreadable } from './unreadable.ts'

/** Receives the tokens of a JSON text. Offsets count bytes from the beginning of the text. */
export interface TokenHandler {
  /** Called with the first byte of a value. Returns true to receive the tokens in a container instead of its end. */
  begin: (byte: number, offset: number) => boolean
  /** Called behind the last byte of a value that was not entered. `values` estimates the number of values in it. */
  end: (offset: number, values: number) => void
  /** Called for each comma, colon and closing bracket outside such values. */
  punctuation: (byte: number, offset: number) => void
}

export interface Tokenizer {
  /** Reads the next chunk. `offset` is its position in the text. */
  push: (chunk: Buffer, offset: number) => void
}

const backslash = 0x5c
export const [quote = 0, comma, colon, openList, closeList, openObject, closeObject] = Buffer.from('",:[]{}')

/** Position in the value that is being passed over. It survives the end of a chunk. */
interface Skip {
  kind: 'string' | 'container' | 'scalar' | undefined
  /** Number of open containers in the value. */
  depth: number
  /** Number of entered containers around the value. */
  depthAround: number
  inString: boolean
  /** True if the chunk ended after a backslash. */
  isEscaped: boolean
  /** Number of commas and opening brackets in the value. */
  values: number
}

/**
 * Finds the structure of a JSON text that arrives in chunks. Tracks only strings and brackets: the parser of the values
 * finds syntax errors within them. Throws `Unreadable` beyond `maxDepth`.
 */
export function openTokenizer({ begin, end, punctuation }: TokenHandler): Tokenizer {
  const skip: Skip = { kind: undefined, depth: 0, depthAround: 0, inString: false, isEscaped: false, values: 0 }

  function readToken(byte: number, offset: number): void {
    if (byte === comma || byte === colon) punctuation(byte, offset)
    else if (byte === closeList || byte === closeObject) {
      skip.depthAround = Math.max(skip.depthAround - 1, 0)
      punctuation(byte, offset)
    } else if (begin(byte, offset)) skip.depthAround++
    else startSkip(skip, byte)
  }

  return {
    push(chunk, offset) {
      for (let at = 0; at < chunk.length; ) {
        if (skip.kind) {
          at = skipValue(skip, chunk, at)
          if (!skip.kind) end(offset + at, skip.values)
          continue
        }
        // The loop condition guarantees that the index is valid.
        const byte = chunk[at] as number
        if (byte > 0x20) readToken(byte, offset + at)
        at++
      }
    },
  }
}

function startSkip(skip: Skip, byte: number): void {
  skip.inString = byte === quote
  skip.values = 0
  if (byte === openObject || byte === openList) {
    skip.kind = 'container'
    skip.depth = 1
    checkDepth(skip)
  } else skip.kind = skip.inString ? 'string' : 'scalar'
}

/** Returns the position after the value, or the end of the chunk. Resets `kind` when the value has ended. */
function skipValue(skip: Skip, chunk: Buffer, start: number): number {
  let end: number
  let hasEnded: boolean
  if (skip.kind === 'container') {
    end = skipContainer(skip, chunk, start)
    hasEnded = skip.depth === 0
  } else if (skip.kind === 'string') {
    end = skipString(skip, chunk, start)
    hasEnded = !skip.inString
  } else {
    end = start
    while (end < chunk.length && !endsScalar(chunk[end] as number)) end++
    hasEnded = end < chunk.length
  }
  if (hasEnded) skip.kind = undefined
  return end
}

function skipContainer(skip: Skip, chunk: Buffer, start: number): number {
  const length = chunk.length
  let at = start
  while (at < length) {
    if (skip.inString) {
      at = skipString(skip, chunk, at)
      continue
    }
    const byte = chunk[at++]
    if (byte === quote) skip.inString = true
    else if (byte === comma) skip.values++
    else if (byte === openObject || byte === openList) {
      skip.values++
      skip.depth++
      checkDepth(skip)
    } else if ((byte === closeObject || byte === closeList) && --skip.depth === 0) break
  }
  return at
}

function checkDepth({ depth, depthAround }: Skip): void {
  if (depthAround + depth <= maxDepth) return
  throw unreadable(`The report is nested more than ${maxDepth} levels deep, which is as deep as this server reads.`)
}

/** Length up to which a byte loop finds the end of a string faster than `indexOf`. */
const shortString = 32

/** Returns the position after the string, or the end of the chunk while `inString` stays true. */
function skipString(skip: Skip, chunk: Buffer, start: number): number {
  const length = chunk.length
  let at = start
  if (skip.isEscaped) {
    at++
    skip.isEscaped = false
  }
  const soon = Math.min(length, at + shortString)
  while (at < soon) {
    const byte = chunk[at++]
    if (byte === quote) {
      skip.inString = false
      return at
    }
    if (byte === backslash) {
      if (at === length) skip.isEscaped = true
      at++
    }
  }
  return at < length ? skipLongString(skip, chunk, at) : length
}

/** Searches for the closing quote. A quote after an odd number of backslashes is escaped. */
function skipLongString(skip: Skip, chunk: Buffer, start: number): number {
  for (let at = start; ; ) {
    const found = chunk.indexOf(quote, at)
    const end = found < 0 ? chunk.length : found
    let before = end
    while (before > at && chunk[before - 1] === backslash) before--
    const isEscaped = (end - before) % 2 === 1
    if (found < 0) skip.isEscaped = isEscaped
    else if (!isEscaped) skip.inString = false
    if (found < 0 || !isEscaped) return found < 0 ? end : end + 1
    at = end + 1
  }
}

const endsScalar = (byte: number): boolean =>
  byte <= 0x20 || byte === comma || byte === closeList || byte === closeObject
