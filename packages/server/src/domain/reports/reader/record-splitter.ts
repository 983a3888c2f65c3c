import { enter, type Frame, type ItemPath, treeOf } from './item-paths.ts'
import { NotJson } from './json.ts'
import { closeList, closeObject, colon, comma, openList, openObject, openTokenizer, quote } from './json-tokenizer.ts'
import { noRest, openRest, type RestCollector, type RestLimits, type RestOfDocument } from './rest-collector.ts'
import { unreadable } from './unreadable.ts'

/** The unparsed bytes of one entry of a report. */
export interface SplitRecord {
  /** The path that the entry matches. */
  path: ItemPath
  /** JSON pointer of the list or object that contains the entry. */
  list: string
  index: number
  /** Key of the entry in an object. */
  key: string | undefined
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

export interface SplitOptions {
  /** Omits every container below the root's keys. */
  elide?: boolean
  /** False for a pass that reads entries only. */
  keepRest?: boolean
  /** True for a pass that needs the first entry of each path only. */
  firstOnly?: boolean
}

/** The document without its entries. */
export interface Rest extends RestOfDocument {
  /** Length of the whole text in bytes. */
  length: number
  /** The entry in which the text ends, if it is truncated. */
  unfinished: Pick<SplitRecord, 'bytes' | 'offset'> | undefined
}

export interface RecordSplitter {
  /** Returns the entries that end in this chunk. The next call throws the error that follows them. */
  push: (chunk: Buffer) => SplitRecord[]
  /** Returns the rest of the document, which is empty unless `keepRest`, or throws the error after the last entries. */
  end: () => Rest
}

/** State of a splitter between two tokens. */
interface Splitter {
  limits: SplitLimits
  elide: boolean
  /** Paths of which no further entry is needed; undefined when all entries are needed. */
  done: Set<ItemPath> | undefined
  root: ReturnType<typeof treeOf>
  /** Open containers on the paths to the entries. */
  frames: Frame[]
  /** The last key of an open object. */
  key: string | undefined
  /** Chunk that is being read, and its offset in the text. */
  chunk: Buffer
  offset: number
  rest: RestCollector
  /** Offset from which bytes belong to the rest; undefined within entries and omitted containers. */
  restFrom: number | undefined
  /** The entry or key that is being read. */
  slice: Slice | undefined
  /** Entries that ended in this chunk. */
  records: SplitRecord[]
  recordCount: number
}

/** Bytes of one entry or key, which may extend over several chunks. */
interface Slice {
  start: number
  parts: Buffer[]
  length: number
  isKey: boolean
}

/**
 * Splits the entries off a JSON text that arrives in chunks, without parsing it. The rest is kept verbatim. Parsing the
 * rest and each entry finds syntax errors, except in the lists of entries, which are checked here.
 */
export function openRecordSplitter(
  paths: readonly ItemPath[],
  limits: SplitLimits,
  { elide = false, keepRest = true, firstOnly = false }: SplitOptions = {},
): RecordSplitter {
  const splitter: Splitter = {
    limits,
    elide,
    done: firstOnly ? new Set() : undefined,
    root: treeOf(paths),
    frames: [],
    key: undefined,
    chunk: Buffer.alloc(0),
    offset: 0,
    rest: keepRest ? openRest(limits) : noRest,
    restFrom: 0,
    slice: undefined,
    records: [],
    recordCount: 0,
  }
  const tokenizer = openTokenizer({
    begin: (byte, offset) => beginValue(splitter, byte, offset),
    end: (offset, values) => endValue(splitter, offset, values),
    punctuation: (byte, offset) => readPunctuation(splitter, byte, offset),
  })
  /** Undefined until the first character. Parsing reports the error of a text that does not begin with a bracket. */
  let isStructured: boolean | undefined
  let failure: { error: unknown } | undefined

  return {
    push(chunk) {
      if (failure) throw failure.error
      splitter.chunk = chunk
      splitter.records = []
      isStructured ??= beginsWithBracket(chunk)
      try {
        if (isStructured) tokenizer.push(chunk, splitter.offset)
        endChunk(splitter)
      } catch (error) {
        if (splitter.records.length === 0) throw error
        failure = { error }
      }
      return splitter.records
    },
    end() {
      if (failure) throw failure.error
      const { rest, slice, offset, limits } = splitter
      const isInEntry = slice !== undefined && !slice.isKey
      const unfinished = isInEntry ? { bytes: bytesOf(slice, limits), offset: slice.start } : undefined
      return { ...rest.end(), length: offset, unfinished }
    },
  }
}

function beginsWithBracket(chunk: Buffer): boolean | undefined {
  const first = chunk.find((byte) => byte > 0x20)
  return first === undefined ? undefined : first === openObject || first === openList
}

/** Returns true if the value is a container on the way to the entries. */
function beginValue(splitter: Splitter, byte: number, offset: number): boolean {
  const frame = splitter.frames.at(-1)
  if (frame?.entries) {
    const isKey = expectsKey(frame)
    const isValid = isKey ? byte === quote : frame.expects === 'item' || frame.expects === 'item or end'
    if (!isValid) throw unexpected(byte, offset, frame)
    splitter.slice = { start: offset, parts: [], length: 0, isKey }
    return false
  }
  if (byte !== openObject && byte !== openList) {
    if (byte === quote && frame?.isKeyNext) splitter.slice = { start: offset, parts: [], length: 0, isKey: true }
    return false
  }
  const inner = enter(splitter.root, frame, splitter.key, { isList: byte === openList, offset })
  if (inner) {
    splitter.frames.push(inner)
    splitter.rest.count(1)
  }
  if (inner?.entries || (!inner && splitter.elide && frame)) pauseRest(splitter, offset + 1)
  return inner !== undefined
}

function endValue(splitter: Splitter, offset: number, values: number): void {
  const { slice, rest, frames, limits } = splitter
  const frame = frames.at(-1)
  if (!slice) {
    if (splitter.restFrom !== undefined) rest.count(1 + values)
    // The closing bracket of an omitted container is kept.
    else splitter.restFrom = offset - 1
    return
  }
  splitter.slice = undefined
  if (slice.isKey) {
    addToSlice(splitter, slice, offset)
    const bytes = bytesOf(slice, limits)
    splitter.key = bytes && keyOf(bytes)
    if (frame?.entries) {
      if (bytes && splitter.key === undefined) throw new NotJson(slice.start, 'this key is not a valid string')
      frame.expects = 'colon'
    }
  } else if (frame) {
    const path = frame.entries ?? []
    if (!splitter.done?.has(path)) {
      splitter.done?.add(path)
      addToSlice(splitter, slice, offset)
      const bytes = values > limits.maxItemValues ? undefined : bytesOf(slice, limits)
      const key = frame.isList ? undefined : splitter.key
      splitter.records.push({ path, list: frame.pointer, index: frame.index, key, offset: slice.start, bytes })
    }
    if (++splitter.recordCount > limits.maxItems) {
      throw unreadable(`The report has more than ${limits.maxItems} findings.`)
    }
    frame.index++
    frame.expects = 'comma or end'
  }
}

function readPunctuation(splitter: Splitter, byte: number, offset: number): void {
  const frame = splitter.frames.at(-1)
  if (frame?.entries) {
    if (byte === (frame.isList ? closeList : closeObject) && frame.expects.endsWith(' end')) {
      splitter.frames.pop()
      splitter.restFrom = offset
    } else if (byte === comma && frame.expects === 'comma or end') frame.expects = frame.isList ? 'item' : 'key'
    else if (byte === colon && frame.expects === 'colon') frame.expects = 'item'
    else throw unexpected(byte, offset, frame)
  } else if (byte === closeObject || byte === closeList) splitter.frames.pop()
  else if (frame && byte === colon) frame.isKeyNext = false
  else if (frame?.isList) frame.index++
  else if (frame) frame.isKeyNext = true
}

const expectsKey = ({ expects }: Frame): boolean => expects === 'key' || expects === 'key or end'

function unexpected(byte: number, offset: number, { expects, isList }: Frame): NotJson {
  const expected = {
    item: 'a value',
    'item or end': 'a value or "]"',
    'comma or end': isList ? '"," or "]"' : '"," or "}"',
    key: 'a key',
    'key or end': 'a key or "}"',
    colon: '":"',
  }[expects]
  const shown = byte < 0x7f ? `unexpected "${String.fromCharCode(byte)}"` : 'unexpected character'
  return new NotJson(offset, `${shown}, expected ${expected}`)
}

/** Passes on the bytes of the chunk before the next one replaces it. */
function endChunk(splitter: Splitter): void {
  const { chunk, slice, restFrom } = splitter
  const end = splitter.offset + chunk.length
  if (slice) addToSlice(splitter, slice, end)
  if (restFrom !== undefined) {
    pauseRest(splitter, end)
    splitter.restFrom = end
  }
  splitter.offset = end
}

function pauseRest(splitter: Splitter, end: number): void {
  const { rest, restFrom, chunk, offset } = splitter
  if (restFrom !== undefined) rest.add(chunk.subarray(restFrom - offset, end - offset), restFrom)
  splitter.restFrom = undefined
}

function addToSlice({ chunk, offset, limits }: Splitter, slice: Slice, end: number): void {
  const bytes = chunk.subarray(Math.max(slice.start - offset, 0), end - offset)
  slice.length += bytes.length
  if (slice.length <= limits.maxItemBytes) slice.parts.push(bytes)
  else slice.parts = []
}

function bytesOf({ parts, length }: Slice, { maxItemBytes }: SplitLimits): Buffer | undefined {
  if (length > maxItemBytes) return undefined
  return parts.length === 1 ? parts[0] : Buffer.concat(parts)
}

function keyOf(bytes: Buffer): string | undefined {
  try {
    const key: unknown = JSON.parse(bytes.toString('utf8'))
    return typeof key === 'string' ? key : undefined
  } catch {
    return undefined
  }
}
