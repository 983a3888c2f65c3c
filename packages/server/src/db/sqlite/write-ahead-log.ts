import { createHash } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'

/** Position in SQLite's write-ahead log, directly after a commit. */
export interface LogPosition {
  /** Salts that identify one generation of the log. SQLite chooses new ones each time it restarts the log. */
  readonly salts: readonly [number, number]
  /** Number of frames up to this position. */
  readonly frames: number
  /** Checksum up to this position, as stored in the last frame. */
  readonly checksum: readonly [number, number]
  /** Number of the page in the last frame. */
  readonly page: number
  /** Digest of that page. The database file contains the same page once the log has been copied. */
  readonly pageDigest: string
}

const logHeaderBytes = 32
const frameHeaderBytes = 24
const scanBytes = 1024 * 1024

/** Number and header of the last frame of the log at some moment. */
export interface LastFrame {
  readonly number: number
  readonly header: Buffer
}

/**
 * Reads the header of a frame that was just written, from the page cache; `undefined` when the log has no such frame.
 */
export function readLastFrame(log: number, number: number, pageSize: number): LastFrame | undefined {
  const header = Buffer.allocUnsafe(frameHeaderBytes)
  const start = logHeaderBytes + (number - 1) * (frameHeaderBytes + pageSize)
  return number > 0 && readSync(log, header, 0, header.length, start) === header.length ? { number, header } : undefined
}

/** Returns the position after a frame; `undefined` when the log was restarted and the frame overwritten. */
export function positionAfter(log: number, { number, header }: LastFrame, pageSize: number): LogPosition | undefined {
  const frame = Buffer.allocUnsafe(frameHeaderBytes + pageSize)
  const read = readSync(log, frame, 0, frame.length, logHeaderBytes + (number - 1) * frame.length)
  if (read < frame.length || !frame.subarray(0, frameHeaderBytes).equals(header)) return undefined
  return {
    salts: pairAt(frame, 8),
    frames: number,
    checksum: pairAt(frame, 16),
    page: frame.readUInt32BE(0),
    pageDigest: digestOf(frame.subarray(frameHeaderBytes)),
  }
}

/** Returns the digest of a page in the database file; `undefined` beyond its end. */
export function pageDigestIn(database: string, page: number): string | undefined {
  const file = openSync(database, 'r')
  try {
    const head = Buffer.alloc(18)
    readSync(file, head, 0, head.length, 0)
    // SQLite stores 65536 as 1.
    const pageSize = head.readUInt16BE(16) === 1 ? 65_536 : head.readUInt16BE(16)
    const content = Buffer.alloc(pageSize)
    const read = readSync(file, content, 0, pageSize, (page - 1) * pageSize)
    return read === pageSize ? digestOf(content) : undefined
  } finally {
    closeSync(file)
  }
}

/** Result of a recovery scan, which ignores everything after the first invalid frame. */
export interface LogScan {
  readonly salts: readonly [number, number]
  /** Number of valid frames up to the last commit. */
  readonly frames: number
  /** Checksum after the requested frame, when that frame is valid. */
  readonly checksum?: readonly [number, number]
}

/** Scans a log like SQLite's recovery (https://sqlite.org/fileformat2.html#walformat), unless its header is invalid. */
export function scanLog(path: string, askedFrame: number): LogScan | undefined {
  const file = openSync(path, 'r')
  try {
    const header = Buffer.alloc(logHeaderBytes)
    if (readSync(file, header, 0, logHeaderBytes, 0) < logHeaderBytes) return undefined
    const magic = header.readUInt32BE(0)
    if (magic !== 0x377f0682 && magic !== 0x377f0683) return undefined
    const sum = createSum(magic === 0x377f0683)
    sum.add(header.subarray(0, 24))
    if (!sum.is(pairAt(header, 24))) return undefined
    const found = scanFrames(file, { salts: pairAt(header, 16), pageSize: header.readUInt32BE(8), sum, askedFrame })
    return { salts: pairAt(header, 16), ...found }
  } finally {
    closeSync(file)
  }
}

interface FrameScan {
  salts: readonly [number, number]
  pageSize: number
  sum: Sum
  askedFrame: number
}

function scanFrames(file: number, { salts, pageSize, sum, askedFrame }: FrameScan): Omit<LogScan, 'salts'> {
  const frameBytes = frameHeaderBytes + pageSize
  const chunk = Buffer.alloc(Math.max(1, Math.floor(scanBytes / frameBytes)) * frameBytes)
  let [count, frames] = [0, 0]
  let checksum: readonly [number, number] | undefined
  for (let position = logHeaderBytes; ; position += chunk.length) {
    const whole = Math.floor(readSync(file, chunk, 0, chunk.length, position) / frameBytes)
    for (let index = 0; index < whole; index++) {
      const frame = chunk.subarray(index * frameBytes, (index + 1) * frameBytes)
      sum.add(frame.subarray(0, 8))
      sum.add(frame.subarray(frameHeaderBytes))
      const isValid = isSame(pairAt(frame, 8), salts) && sum.is(pairAt(frame, 16))
      if (!isValid) return { frames, ...(checksum && { checksum }) }
      count++
      if (count === askedFrame) checksum = pairAt(frame, 16)
      const isCommit = frame.readUInt32BE(4) !== 0
      if (isCommit) frames = count
    }
    if (whole * frameBytes < chunk.length) return { frames, ...(checksum && { checksum }) }
  }
}

interface Sum {
  add(bytes: Buffer): void
  is(expected: readonly [number, number]): boolean
}

/** Creates the running checksum of a log, over words in the byte order given by its magic number. */
function createSum(isBigEndian: boolean): Sum {
  let [first, second] = [0, 0]
  return {
    add(bytes) {
      const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
      for (let offset = 0; offset < bytes.length; offset += 8) {
        first = (first + words.getUint32(offset, !isBigEndian) + second) >>> 0
        second = (second + words.getUint32(offset + 4, !isBigEndian) + first) >>> 0
      }
    },
    is: (expected) => isSame([first, second], expected),
  }
}

export const isSame = (one: readonly [number, number], other: readonly [number, number]): boolean =>
  one[0] === other[0] && one[1] === other[1]

const pairAt = (bytes: Buffer, offset: number): [number, number] => [
  bytes.readUInt32BE(offset),
  bytes.readUInt32BE(offset + 4),
]

const digestOf = (page: Buffer): string => createHash('sha256').update(page).digest('hex').slice(0, 32)
