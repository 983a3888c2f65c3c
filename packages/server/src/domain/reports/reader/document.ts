import { startTimeSlice } from '../../../platform/time-slice.ts'
import { objectOf } from '../formats/fields/json-fields.ts'
import { printKey } from '../formats/problems/checks.ts'
import type { JsonObject } from '../formats/report.ts'
import { asJson } from './as-json.ts'
import { type CachedEntry, type EntryHash, type FindEntry, hashEntry } from './cached-entries.ts'
import type { ItemPath } from './item-paths.ts'
import { NotJson, parseReportJson, type ReportJson } from './json.ts'
import { openRecordSplitter, type Rest, type SplitLimits, type SplitRecord } from './record-splitter.ts'
import { checkUtf8, countLines, type OpenBytes, openText, type SourceLimits, sourceLimits } from './source.ts'
import { Unreadable, unreadable } from './unreadable.ts'

export interface DocumentLimits extends SplitLimits, SourceLimits {}

export const documentLimits: DocumentLimits = {
  ...sourceLimits,
  maxItemBytes: 4 * 1024 * 1024,
  maxRestBytes: 32 * 1024 * 1024,
  maxItemValues: 100_000,
  maxRestValues: 2_000_000,
  maxItems: 2_000_000,
}

/** A JSON file that is read in several passes and never held in memory as a whole. */
export interface Document {
  /** Returns the root with every container below it empty; for a list, with its first element. */
  survey: () => Promise<unknown>
  /** Returns the document with the lists on these paths empty, and the first entry of each path. */
  context: (paths: readonly ItemPath[]) => Promise<DocumentContext>
  /**
   * Returns the same as `survey` and `context` after one pass, for paths that follow from the beginning of the document.
   * Returns undefined if that is impossible, or if the document has an error, which `survey` and `context` describe.
   */
  overview: (pathsOf: (root: unknown) => readonly ItemPath[] | undefined) => Promise<Overview | undefined>
  /**
   * Yields the entries in file order. Yields to the event loop in between; the time of the consumer counts too. Does not
   * parse cached entries.
   */
  items: (paths: readonly ItemPath[], findCached?: FindEntry) => AsyncGenerator<Item>
}

export interface DocumentContext {
  rest: ReportJson
  /** First entries by path, for `firstOf`. */
  firsts: Map<ItemPath, unknown>
}

interface Overview {
  root: unknown
  context: DocumentContext
}

export interface Item {
  path: ItemPath
  /** JSON pointer. */
  pointer: string
  /** JSON pointer of the list or object that contains the entry. */
  list: string
  index: number
  /** Key of the entry in an object. */
  key?: string | undefined
  /** Undefined when the entry exceeds the size limit, or is cached. */
  json: ReportJson | undefined
  /** Hash of the bytes; undefined without a cache, and when the entry exceeds the size limit. */
  hash: EntryHash | undefined
  cached: CachedEntry | undefined
  /** True if the entry is so large that the reader yields to the event loop between its processing steps. */
  isLarge: boolean
}

export function openDocument(open: OpenBytes, limits: DocumentLimits = documentLimits): Document {
  const text = () => asJson(openText(open, limits))
  const explained = <T>(work: Promise<T>) => work.catch((error) => explain(error, text))
  return {
    survey: () => explained(survey(text(), limits)),
    context: (paths) => explained(readContext(text(), paths, limits)),
    overview: (pathsOf) => readOverview(text(), pathsOf, limits),
    async *items(paths, findCached) {
      try {
        yield* readItems(text(), { paths, limits, findCached })
      } catch (error) {
        await explain(error, text)
      }
    },
  }
}

async function survey(text: AsyncIterable<Buffer>, limits: DocumentLimits): Promise<unknown> {
  const everyElement = [['*']]
  const splitter = openRecordSplitter(everyElement, limits, { elide: true, firstOnly: true })
  let first: SplitRecord | undefined
  let isEmpty = true
  for await (const chunk of withYields(checkUtf8(text))) {
    isEmpty &&= isBlank(chunk)
    const [record] = splitter.push(chunk)
    first ??= record && copied(record)
  }
  if (isEmpty) throw unreadable('Report file is empty', 'EmptyFile')
  const { value } = parseRest(splitter.end())
  if (Array.isArray(value) && first?.bytes) value.push(parsePiece(first.bytes, first.offset).value)
  return value
}

async function readContext(
  text: AsyncIterable<Buffer>,
  paths: readonly ItemPath[],
  limits: DocumentLimits,
): Promise<DocumentContext> {
  const reader = openContextReader(paths, limits)
  for await (const chunk of withYields(text)) reader.push(chunk)
  return reader.end()
}

function openContextReader(paths: readonly ItemPath[], limits: DocumentLimits) {
  const splitter = openRecordSplitter(paths, limits, { firstOnly: true })
  const firsts: DocumentContext['firsts'] = new Map()
  return {
    push(chunk: Buffer): void {
      for (const { path, bytes, offset } of splitter.push(chunk)) {
        firsts.set(path, bytes && parsePiece(bytes, offset).value)
      }
    },
    end: (): DocumentContext => ({ rest: parseRest(splitter.end()), firsts }),
  }
}

async function readOverview(
  text: AsyncIterable<Buffer>,
  pathsOf: (root: unknown) => readonly ItemPath[] | undefined,
  limits: DocumentLimits,
): Promise<Overview | undefined> {
  let reader: ReturnType<typeof openContextReader> | undefined
  try {
    for await (const chunk of withYields(checkUtf8(text))) {
      if (!reader) {
        const paths = pathsOf(rootAtStart(chunk, limits))
        // Entries of the root itself would be missing in it.
        if (!paths || paths.some(({ length }) => length === 1)) return undefined
        reader = openContextReader(paths, limits)
      }
      reader.push(chunk)
    }
    const context = reader?.end()
    const root = objectOf(context?.rest.value)
    return context && root && { root: withoutContents(root), context }
  } catch (error) {
    if (error instanceof NotJson || error instanceof Unreadable) return undefined
    throw error
  }
}

/** Returns the object with every container in it empty. */
const withoutContents = (root: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(root).map(([key, value]) => [key, Array.isArray(value) ? [] : objectOf(value) ? {} : value]),
  )

/** Returns the root as far as the beginning of the text contains it; undefined if it cannot be parsed. */
function rootAtStart(start: Buffer, limits: DocumentLimits): unknown {
  const splitter = openRecordSplitter([], limits, { elide: true, firstOnly: true })
  splitter.push(start)
  const text = splitter.end().bytes.toString('utf8')
  for (const end of [']}', '}}', '}', '']) {
    try {
      return JSON.parse(text + end)
    } catch {
      // The text ends in another place.
    }
  }
  return undefined
}

async function* readItems(
  text: AsyncIterable<Buffer>,
  {
    paths,
    limits,
    findCached,
  }: { paths: readonly ItemPath[]; limits: DocumentLimits; findCached: FindEntry | undefined },
): AsyncGenerator<Item> {
  const splitter = openRecordSplitter(paths, limits, { keepRest: false })
  const slice = startTimeSlice()
  for await (const chunk of withYields(text)) {
    for (const { path, list, index, key, offset, bytes } of splitter.push(chunk)) {
      const hash = findCached && bytes && hashEntry(bytes)
      const cached = hash === undefined ? undefined : findCached?.(hash)
      const json = cached ? undefined : bytes && parsePiece(bytes, offset)
      const isLarge = bytes !== undefined && bytes.length > largeBytes
      const pointer = `${list}/${key === undefined ? index : printKey(key)}`
      yield { path, pointer, list, index, key, json, hash, cached, isLarge }
      if (slice.isOver()) await slice.next()
    }
  }
  splitter.end()
}

const largeBytes = 256 * 1024

/** Yields to the event loop between pieces of the text. The time that the consumer spends on a piece counts too. */
async function* withYields(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const slice = startTimeSlice()
  for await (const chunk of chunks) {
    for (let start = 0; start < chunk.length; start += pieceBytes) {
      yield chunk.subarray(start, start + pieceBytes)
      if (slice.isOver()) await slice.next()
    }
  }
}

const pieceBytes = 16 * 1024

/** Returns true if the chunk contains only whitespace. */
const isBlank = (chunk: Buffer): boolean => chunk.every((byte) => byte === 32 || (byte >= 9 && byte <= 13))

/** Copies the bytes, so that an entry does not keep the whole chunk in memory. */
const copied = (record: SplitRecord): SplitRecord => ({ ...record, bytes: record.bytes && Buffer.from(record.bytes) })

function parsePiece(bytes: Buffer, offset: number): ReportJson {
  const text = bytes.toString('utf8')
  try {
    return parseReportJson(text)
  } catch (error) {
    if (!(error instanceof NotJson)) throw error
    throw new NotJson(offset + Buffer.byteLength(text.slice(0, error.offset)), error.what)
  }
}

function parseRest({ bytes, pieces, length, unfinished }: Rest): ReportJson {
  try {
    return parsePiece(bytes, 0)
  } catch (error) {
    if (!(error instanceof NotJson)) throw error
    if (error.offset >= bytes.length) {
      // Entries may follow the rest, and the text may end within one of them.
      if (unfinished?.bytes) parsePiece(unfinished.bytes, unfinished.offset)
      throw new NotJson(length, error.what)
    }
    const piece = pieces.findLast(({ at }) => at <= error.offset)
    throw piece ? new NotJson(error.offset - piece.at + piece.offset, error.what) : error
  }
}

/** Throws the error with line and column. They are computed here, because only an error needs them. */
async function explain(error: unknown, text: () => AsyncIterable<Buffer>): Promise<never> {
  if (!(error instanceof NotJson)) throw error
  let position = 0
  let line = 1
  let column: Buffer = Buffer.alloc(0)
  for await (const chunk of text()) {
    const before = chunk.subarray(0, Math.max(0, error.offset - position))
    const lastBreak = before.lastIndexOf(10)
    line += countLines(before)
    const tail = before.subarray(lastBreak + 1)
    column = lastBreak >= 0 ? Buffer.from(tail) : Buffer.concat([column, tail])
    position += chunk.length
    if (position >= error.offset) break
  }
  const place = `line ${line}, column ${column.toString('utf8').length + 1}`
  throw unreadable(`The file is not valid JSON; ${place}: ${error.what}.`)
}
