import type { FileHandle } from 'node:fs/promises'

/** TIFF file in either byte order, 32-bit or 64-bit (BigTIFF). It is read in parts, never as a whole. */
export interface Tiff {
  readonly file: FileHandle
  readonly bytes: number
  readonly order: 'II' | 'MM'
  readonly firstDirectory: number
  readonly headerBytes: number
  /** Widths in bytes of a directory's entry count, of an entry and of an offset. */
  readonly widths: { readonly count: number; readonly entry: number; readonly offset: number }
  /** Buffer of the last read. Directories are small and close to each other. */
  window: { at: number; content: Buffer }
}

export interface Directory {
  readonly at: number
  /** Number of entries. */
  readonly count: number
  readonly end: number
  /** Offset of the next directory; 0 for the last one. */
  readonly next: number
}

export interface Entry {
  readonly tag: number
  readonly type: number
  readonly count: number
  /** Range of the entry's values in the file; within the entry itself if they fit. */
  readonly values: Range
  readonly isInline: boolean
  /** Bytes of the entry in the file. */
  readonly raw: Buffer
}

/** Byte range: start inclusive, end exclusive. */
export type Range = readonly [start: number, end: number]

/** Opens a TIFF file. Returns `undefined` when the file does not begin like one. */
export async function openTiff(file: FileHandle, bytes: number): Promise<Tiff | undefined> {
  const header = await readFully(file, 0, Math.min(bytes, 16))
  const order = header.toString('latin1', 0, 2)
  if (header.length < 8 || (order !== 'II' && order !== 'MM')) return undefined
  const window = { at: 0, content: header }
  const version = number(order, header, 2, 2)
  if (version === 42) {
    const widths = { count: 2, entry: 12, offset: 4 }
    return { file, bytes, order, firstDirectory: number(order, header, 4, 4), headerBytes: 8, widths, window }
  }
  if (version !== 43 || header.length < 16 || number(order, header, 4, 2) !== 8) return undefined
  const widths = { count: 8, entry: 20, offset: 8 }
  return { file, bytes, order, firstDirectory: number(order, header, 8, 8), headerBytes: 16, widths, window }
}

/** Reads the directory at an offset. Returns `undefined` when it is not completely within the file. */
export async function readDirectory(tiff: Tiff, at: number): Promise<Directory | undefined> {
  const { widths } = tiff
  const head = await readBytes(tiff, at, widths.count)
  if (!head) return undefined
  const count = number(tiff.order, head, 0, widths.count)
  const next = at + widths.count + count * widths.entry
  const tail = await readBytes(tiff, next, widths.offset)
  if (!tail) return undefined
  return { at, count, end: next + widths.offset, next: number(tiff.order, tail, 0, widths.offset) }
}

const entriesAtOnce = 2048

/** Reads entries in batches, because a directory may be larger than memory. */
export async function* readEntries(tiff: Tiff, directory: Directory): AsyncGenerator<Entry[]> {
  const { widths } = tiff
  for (let first = 0; first < directory.count; first += entriesAtOnce) {
    const count = Math.min(entriesAtOnce, directory.count - first)
    const at = directory.at + widths.count + first * widths.entry
    const slice = await readBytes(tiff, at, count * widths.entry)
    if (!slice) return
    yield Array.from({ length: count }, (_, index) => {
      const raw = slice.subarray(index * widths.entry, (index + 1) * widths.entry)
      return readEntry(tiff, raw, at + index * widths.entry)
    })
  }
}

function readEntry({ order, widths, bytes }: Tiff, raw: Buffer, at: number): Entry {
  const type = number(order, raw, 2, 2)
  const count = number(order, raw, 4, widths.offset)
  const valueBytes = count * (typeWidths[type] ?? 0)
  const isInline = valueBytes <= widths.offset
  const valueField = 4 + widths.offset
  const start = isInline ? at + valueField : number(order, raw, valueField, widths.offset)
  const values = [Math.min(start, bytes), Math.min(start + valueBytes, bytes)] as const
  return { tag: number(order, raw, 0, 2), type, count, values, isInline, raw }
}

const typeWidths = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8]
/** Types of unsigned numbers: byte, short, long, directory, and the 64-bit forms of the last two. */
const unsigned: ReadonlySet<number> = new Set([1, 3, 4, 13, 16, 18])

/** Returns some of the entry's values, as far as the file contains them; none when they are not unsigned numbers. */
export async function readNumbers(tiff: Tiff, entry: Entry, first: number, max: number): Promise<number[]> {
  const width = typeWidths[entry.type] ?? 0
  if (!unsigned.has(entry.type)) return []
  const [start, end] = entry.values
  const count = Math.min(max, Math.floor((end - start) / width) - first)
  if (count <= 0) return []
  const slice = await readBytes(tiff, start + first * width, count * width)
  return slice ? Array.from({ length: count }, (_, index) => number(tiff.order, slice, index * width, width)) : []
}

const windowBytes = 16 * 1024

/** Returns all of the bytes, or `undefined` when the file ends before. */
export async function readBytes(tiff: Tiff, at: number, length: number): Promise<Buffer | undefined> {
  if (at + length > tiff.bytes) return undefined
  if (length > windowBytes) return readFully(tiff.file, at, length)
  const { window } = tiff
  if (at < window.at || at + length > window.at + window.content.length) {
    tiff.window = { at, content: await readFully(tiff.file, at, Math.min(windowBytes, tiff.bytes - at)) }
  }
  return tiff.window.content.subarray(at - tiff.window.at, at - tiff.window.at + length)
}

export async function writeBytes(tiff: Tiff, at: number, bytes: Buffer): Promise<void> {
  tiff.window = { at: 0, content: Buffer.alloc(0) }
  for (let written = 0; written < bytes.length; ) {
    written += (await tiff.file.write(bytes, written, bytes.length - written, at + written)).bytesWritten
  }
}

export async function readFully(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const found = Buffer.alloc(length)
  for (let filled = 0; filled < length; ) {
    const { bytesRead } = await file.read(found, filled, length - filled, at + filled)
    if (bytesRead === 0) throw new Error('the file has become shorter while it was read')
    filled += bytesRead
  }
  return found
}

/** Reads an unsigned number. Numbers too large to be exact exceed any file size, so their precision does not matter. */
function number(order: Tiff['order'], bytes: Buffer, at: number, width: number): number {
  if (width === 8) return Number(order === 'II' ? bytes.readBigUInt64LE(at) : bytes.readBigUInt64BE(at))
  return order === 'II' ? bytes.readUIntLE(at, width) : bytes.readUIntBE(at, width)
}

/** Encodes the entry count of a directory. */
export function encodeCount({ order, widths }: Tiff, count: number): Buffer {
  const bytes = Buffer.alloc(widths.count)
  if (order === 'II') bytes.writeUIntLE(count, 0, Math.min(widths.count, 6))
  else bytes.writeUIntBE(count, Math.max(widths.count - 6, 0), Math.min(widths.count, 6))
  return bytes
}
