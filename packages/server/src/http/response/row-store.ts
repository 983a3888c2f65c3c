import { hash } from 'node:crypto'
import { type RenderedRow, rowOf } from './rendered-row.ts'

const slabBytes = 1024 * 1024
/** Larger rows are not stored, because they would leave much of a slab unused. */
const maxRowBytes = slabBytes / 4

const digestBytes = 20
/** Before the version and the JSON: the check (8 bytes), the lengths of the JSON (4) and the version (2), the digest. */
const headerBytes = 14 + digestBytes

interface Slab {
  bytes: Buffer
  used: number
  keys: string[]
}

/** Place of a stored row. Valid until the next row is added. */
export type RowPlace = number

interface NewRow {
  json: string
  version: string
  /** The version of the tables at which the row's version was known to be the current one. */
  checkedAt: number | undefined
}

export type RowStore = ReturnType<typeof openRowStore>

/**
 * Opens a store of rendered rows with their versions, in buffers of 1 MiB. An object for each of a hundred thousand small
 * rows would take more memory than the row, and the garbage collector more time than rendering.
 *
 * A full store drops its oldest slab with all its rows. From then on it adds a row only when it is rendered for the second
 * time, because a client that reads all rows once would otherwise displace those that are used.
 */
export function openRowStore(maxBytes: number) {
  const maxSlabs = Math.max(1, Math.floor(maxBytes / slabBytes))
  const slabs: Slab[] = []
  const places = new Map<string, RowPlace>()
  let current = 0
  let recent: RecentKeys | undefined

  const slabAt = (place: RowPlace): Buffer => (slabs[Math.floor(place / slabBytes)] as Slab).bytes // places are in slabs

  function startSlab(): Slab {
    if (slabs.length > 0) current = (current + 1) % maxSlabs
    const oldest = slabs[current]
    if (oldest) {
      recent ??= openRecentKeys()
      for (const key of oldest.keys) {
        const place = places.get(key)
        if (place !== undefined && Math.floor(place / slabBytes) === current) places.delete(key)
      }
    }
    // A new buffer, because rows that are being sent may refer to the old one.
    const slab = { bytes: Buffer.allocUnsafeSlow(slabBytes), used: 0, keys: [] }
    slabs[current] = slab
    return slab
  }

  function slabWithRoom(size: number): Slab {
    const slab = slabs[current]
    return slab && slab.used + size <= slabBytes ? slab : startSlab()
  }

  function rowAt(place: RowPlace): RenderedRow {
    const bytes = slabAt(place)
    const start = place % slabBytes
    const digestStart = start + headerBytes - digestBytes
    const jsonStart = start + headerBytes + bytes.readUInt16LE(start + 12)
    const json = bytes.subarray(jsonStart, jsonStart + bytes.readUInt32LE(start + 8))
    return rowOf(json, bytes.toString('hex', digestStart, digestStart + digestBytes))
  }

  return {
    find: (key: string): RowPlace | undefined => places.get(key),
    rowAt,
    /** Returns true if the row's version was the current one at this version of the tables. */
    isCheckedAt: (place: RowPlace, checkedAt: number | undefined): boolean =>
      slabAt(place).readDoubleLE(place % slabBytes) === checkedAt,
    markChecked(place: RowPlace, checkedAt: number | undefined): void {
      slabAt(place).writeDoubleLE(checkedAt ?? Number.NaN, place % slabBytes)
    },
    versionAt(place: RowPlace): string {
      const start = (place % slabBytes) + headerBytes
      const bytes = slabAt(place)
      return bytes.toString('utf8', start, start + bytes.readUInt16LE(start - headerBytes + 12))
    },
    /** Adds or replaces a row. Returns undefined for a row that is not stored. */
    add(key: string, { json, version, checkedAt }: NewRow): RenderedRow | undefined {
      const versionBytes = Buffer.byteLength(version)
      const jsonBytes = Buffer.byteLength(json)
      const size = headerBytes + versionBytes + jsonBytes
      if (size > maxRowBytes || (recent && !recent.has(key))) return undefined
      const slab = slabWithRoom(size)
      const { bytes, used: start } = slab
      bytes.writeDoubleLE(checkedAt ?? Number.NaN, start)
      bytes.writeUInt32LE(jsonBytes, start + 8)
      bytes.writeUInt16LE(versionBytes, start + 12)
      bytes.write(version, start + headerBytes)
      bytes.write(json, start + headerBytes + versionBytes)
      const jsonStart = start + headerBytes + versionBytes
      const digest = hash('sha1', bytes.subarray(jsonStart, jsonStart + jsonBytes), 'hex')
      bytes.write(digest, start + 14, 'hex')
      slab.used += size
      slab.keys.push(key)
      const place = current * slabBytes + start
      places.set(key, place)
      return rowAt(place)
    },
  }
}

type RecentKeys = ReturnType<typeof openRecentKeys>

/** Opens a set of the keys that were added last, by their hashes: a key can be missing, or seem to be there. */
function openRecentKeys() {
  const hashes = new Uint32Array(256 * 1024)
  return {
    /** Returns whether the key is in the set, and adds it. */
    has(key: string): boolean {
      let sum = 0x811c9dc5 // FNV-1a
      for (let at = 0; at < key.length; at++) sum = Math.imul(sum ^ key.charCodeAt(at), 0x01000193)
      const slot = (sum >>> 0) % hashes.length
      const isKnown = hashes[slot] === sum >>> 0
      hashes[slot] = sum
      return isKnown
    },
  }
}
