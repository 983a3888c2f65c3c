import { hash } from 'node:crypto'
import { allocateMapped } from '../../../platform/mapped-buffer.ts'
import type { KeyHash } from '../comparison/key-table.ts'

/** The finding of an entry of a report that resulted in one finding, and in nothing else. */
export interface CachedEntry {
  uuid: string
  /** Digest of the finding's content. */
  digest: string
  /** Hashes of the deduplication keys of the finding. */
  keys: readonly KeyHash[]
}

/** Cached entries with the hashes of their bytes, one record after the other: see `writeRecord`. */
export type PackedEntries = Uint8Array<ArrayBuffer>

const hashBytes = 16
const uuidBytes = 16
const digestBytes = 20
const keyBytes = 8
const uuidAt = hashBytes
const digestAt = uuidAt + uuidBytes
const keyCountAt = digestAt + digestBytes
const keysAt = keyCountAt + 1
const maxKeys = 255

/**
 * Maximum size of the cached entries of one report, enough for 100,000 ordinary ones. A larger report is not cached, because
 * its import needs the memory.
 */
const maxPackedBytes = 10 * 1024 * 1024

/** Hash of the bytes of an entry: one character for each byte. Buffers of this size would take more memory. */
export type EntryHash = string

/** Returns a cryptographic hash, because a sender could construct a collision of a weaker one. */
export const hashEntry = (bytes: Uint8Array): EntryHash => hash('sha256', bytes, 'binary').slice(0, hashBytes)

/** Cached entries that are found by the hash of their bytes. */
export type FindEntry = (hash: EntryHash) => CachedEntry | undefined

/** Returns a function that finds a cached entry by the hash of its bytes. */
export function indexEntries(packed: PackedEntries): FindEntry {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength)
  const starts = listStarts(bytes)
  const slots = 2 * starts.length + 1
  /** Start of the record plus one; zero marks an empty slot. */
  const table = new Uint32Array(slots)
  const numberOf = randomNumbering()
  const slotOf = (hash: EntryHash): number => {
    let slot = Math.floor((numberOf(hash) / 2 ** 32) * slots)
    for (;;) {
      const start = table[slot] ?? 0
      if (start === 0 || startsWith(bytes, start - 1, hash)) return slot
      slot = (slot + 1) % slots
    }
  }
  for (const start of starts) table[slotOf(bytes.toString('latin1', start, start + hashBytes))] = start + 1
  return (hash) => {
    const start = table[slotOf(hash)] ?? 0
    return start === 0 ? undefined : readRecord(bytes, start - 1)
  }
}

/**
 * Returns a function that reduces a hash to 32 bits with random factors. Without them, a sender could construct entries that
 * need the same slot.
 */
function randomNumbering(): (hash: EntryHash) => number {
  const factors = crypto.getRandomValues(new Uint32Array(hashBytes))
  return (hash) => {
    let number = 0
    for (let index = 0; index < hashBytes; index++) number += Math.imul(factors[index] ?? 0, hash.charCodeAt(index))
    return number >>> 0
  }
}

function startsWith(bytes: Buffer, start: number, hash: EntryHash): boolean {
  for (let index = 0; index < hashBytes; index++) if (bytes[start + index] !== hash.charCodeAt(index)) return false
  return true
}

function listStarts(bytes: Buffer): number[] {
  const starts: number[] = []
  for (let start = 0; start < bytes.length; start += keysAt + keyBytes * bytes.readUInt8(start + keyCountAt)) {
    starts.push(start)
  }
  return starts
}

function readRecord(bytes: Buffer, start: number): CachedEntry {
  const hex = bytes.toString('hex', start + uuidAt, start + keyCountAt)
  const uuid = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`
  const keys: KeyHash[] = []
  const end = start + keysAt + keyBytes * bytes.readUInt8(start + keyCountAt)
  for (let at = start + keysAt; at < end; at += keyBytes)
    keys.push([bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4)])
  return { uuid, digest: hex.slice(2 * uuidBytes), keys }
}

export interface EntryCollector {
  add(hash: EntryHash, entry: CachedEntry): void
  /** Returns the collected entries in a buffer of their own, which can be transferred; an empty one if there are too many. */
  packed(): PackedEntries
}

/**
 * Size of the buffers in which entries are collected: the minimum of a mapped buffer. A record, which has at most 255 keys, is
 * smaller.
 */
const pieceBytes = 256 * 1024

/** Allocates mapped memory, which returns to the system when there are too many entries and all are dropped. */
const allocatePiece = () => Buffer.from(allocateMapped(pieceBytes))

/** Collects entries for the next report of the same kind. */
export function collectEntries(maxBytes = maxPackedBytes): EntryCollector {
  let full: Buffer[] = []
  let piece = allocatePiece()
  let used = 0
  let isTooLarge = false
  return {
    add(hash, entry) {
      const size = keysAt + keyBytes * entry.keys.length
      if (isTooLarge || entry.keys.length > maxKeys) return
      if (used + size > pieceBytes) {
        full.push(piece.subarray(0, used))
        piece = allocatePiece()
        used = 0
      }
      writeRecord(piece, used, hash, entry)
      used += size
      isTooLarge = full.length * pieceBytes + used > maxBytes
      if (isTooLarge) {
        full = []
        used = 0
      }
    },
    packed: () => joined([...full, piece.subarray(0, used)]),
  }
}

function joined(pieces: readonly Buffer[]): PackedEntries {
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.length
  }
  return all
}

/** Writes a record: the hash of the bytes (16), the uuid (16), the digest (20), the number of keys (1), and the keys (8 each). */
function writeRecord(bytes: Buffer, start: number, hash: EntryHash, { uuid, digest, keys }: CachedEntry): void {
  bytes.write(hash, start, 'latin1')
  bytes.write(uuid.replaceAll('-', '') + digest, start + uuidAt, 'hex')
  bytes.writeUInt8(keys.length, start + keyCountAt)
  let at = start + keysAt
  for (const [high, low] of keys) {
    bytes.writeUInt32LE(high, at)
    bytes.writeUInt32LE(low, at + 4)
    at += keyBytes
  }
}
