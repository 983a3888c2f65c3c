import { openRecentKeys, type RecentKeys } from '../../platform/recent-keys.ts'
import { type RenderedRow, rowOf } from './rendered-row.ts'

const slabBytes = 1024 * 1024
/** Larger rows are not stored, because they would leave much of a slab unused. */
const maxRowBytes = slabBytes / 4
const maxVersionBytes = 0xffff
const recentKeys = 256 * 1024

/*
 * A row in a slab begins with a header: `checkedAt` (8 bytes), the length of the JSON (4), the length of the version (2) and
 * the digest of the JSON (20). The version and the JSON follow.
 */
const jsonLengthAt = 8
const versionLengthAt = 12
const digestAt = 14
const digestBytes = 20
const headerBytes = digestAt + digestBytes

interface Slab {
  bytes: Buffer
  used: number
  keys: RowKey[]
  /** Number of rows that have not been replaced. */
  liveRows: number
  /** Slabs are numbered in the order in which they are started. */
  number: number
}

/** Place of a stored row. Valid until the next row is added. */
export type RowPlace = number

/** Key of a stored row. */
export interface RowKey {
  /** Kind of the row, with everything else that its JSON depends on, such as the origin. */
  source: string
  id: number | string
}

interface NewRow extends Pick<RenderedRow, 'json' | 'digest'> {
  version: string
  /** The version of the tables at which the row's version was known to be the current one. */
  checkedAt: number | undefined
}

export type RowStore = ReturnType<typeof openRowStore>

/**
 * Opens a store of rendered rows with their versions, in buffers of 1 MiB (slabs). With a hundred thousand small rows, one
 * object per row would take more memory than the rows themselves, and more garbage collection time than rendering them.
 *
 * A full store drops its oldest slab with all its rows. From then on it adds a row only when it is rendered for the second
 * time, because a client that reads all rows once would otherwise displace those that are used.
 */
export function openRowStore(maxBytes: number) {
  const maxSlabs = Math.max(1, Math.floor(maxBytes / slabBytes))
  const slabs: Slab[] = []
  const places = openRowIndex()
  let current = 0
  let started = 0
  let recent: RecentKeys | undefined

  const indexOf = (place: RowPlace): number => Math.floor(place / slabBytes)
  const slabAt = (place: RowPlace): Slab => slabs[indexOf(place)] as Slab // a place is always in an existing slab

  /** Starts a slab in place of one without live rows, or else a new one. A full store drops its oldest slab. */
  function startSlab(): Slab {
    let index = slabs.findIndex(({ liveRows }) => liveRows === 0)
    if (index < 0) index = slabs.length < maxSlabs ? slabs.length : dropOldest()
    // A new buffer, because a request may still hold rows of the old one.
    const slab = { bytes: Buffer.allocUnsafeSlow(slabBytes), used: 0, keys: [], liveRows: 0, number: started++ }
    slabs[index] = slab
    current = index
    return slab
  }

  function dropOldest(): number {
    const oldest = slabs.reduce((one, other) => (other.number < one.number ? other : one))
    const index = slabs.indexOf(oldest)
    for (const key of oldest.keys) {
      const place = places.find(key)
      if (place !== undefined && indexOf(place) === index) places.delete(key)
    }
    recent ??= openRecentKeys(recentKeys)
    recent.clear()
    return index
  }

  function slabWithRoom(size: number): Slab {
    const slab = slabs[current]
    return slab && slab.used + size <= slabBytes ? slab : startSlab()
  }

  function write(key: RowKey, row: NewRow): RowPlace | undefined {
    const versionBytes = Buffer.byteLength(row.version)
    const size = headerBytes + versionBytes + row.json.length
    if (size > maxRowBytes || versionBytes > maxVersionBytes || recent?.isNew(`${key.source} ${key.id}`))
      return undefined
    const slab = slabWithRoom(size)
    const start = slab.used
    writeRow(slab.bytes, start, row, versionBytes)
    slab.used += size
    slab.keys.push(key)
    slab.liveRows++
    return current * slabBytes + start
  }

  const rowAt = (place: RowPlace): RenderedRow => readRow(slabAt(place).bytes, place % slabBytes)
  const versionAt = (place: RowPlace): string => readVersion(slabAt(place).bytes, place % slabBytes)
  const markChecked = (place: RowPlace, checkedAt: number | undefined): void =>
    writeCheckedAt(slabAt(place).bytes, place % slabBytes, checkedAt)

  function isUnchanged(place: RowPlace, { version, digest }: NewRow): boolean {
    return readDigest(slabAt(place).bytes, place % slabBytes) === digest && versionAt(place) === version
  }

  return {
    find: places.find,
    rowAt,
    versionAt,
    /** Returns true if the row's version was known to be current at this version of the tables. */
    isCheckedAt: (place: RowPlace, checkedAt: number | undefined): boolean =>
      slabAt(place).bytes.readDoubleLE(place % slabBytes) === checkedAt,
    markChecked,
    /** Adds or replaces a row. If the new row cannot be stored, an older row with its key remains. */
    add(key: RowKey, row: NewRow): void {
      const known = places.find(key)
      // Most rows that are rendered again have not changed, such as other topics than the one that was written.
      if (known !== undefined && isUnchanged(known, row)) {
        markChecked(known, row.checkedAt)
        return
      }
      const place = write(key, row)
      if (place === undefined) return
      const replaced = places.find(key) // again, because its slab may have been dropped
      if (replaced !== undefined) slabAt(replaced).liveRows--
      places.set(key, place)
    },
  }
}

/**
 * Opens an index of rows by source and id. Looking up a number is several times faster than building and looking up a string
 * that contains it.
 */
function openRowIndex() {
  const sources = new Map<string, Map<RowKey['id'], RowPlace>>()
  return {
    find: ({ source, id }: RowKey): RowPlace | undefined => sources.get(source)?.get(id),
    set({ source, id }: RowKey, place: RowPlace): void {
      const places = sources.get(source)
      if (places) places.set(id, place)
      else sources.set(source, new Map([[id, place]]))
    },
    delete({ source, id }: RowKey): void {
      const places = sources.get(source)
      places?.delete(id)
      if (places?.size === 0) sources.delete(source)
    },
  }
}

function readRow(bytes: Buffer, start: number): RenderedRow {
  const jsonStart = start + headerBytes + bytes.readUInt16LE(start + versionLengthAt)
  const json = bytes.subarray(jsonStart, jsonStart + bytes.readUInt32LE(start + jsonLengthAt))
  return rowOf(json, readDigest(bytes, start))
}

const readDigest = (bytes: Buffer, start: number): string =>
  bytes.toString('hex', start + digestAt, start + digestAt + digestBytes)

function readVersion(bytes: Buffer, start: number): string {
  const versionStart = start + headerBytes
  return bytes.toString('utf8', versionStart, versionStart + bytes.readUInt16LE(start + versionLengthAt))
}

function writeCheckedAt(bytes: Buffer, start: number, checkedAt: number | undefined): void {
  bytes.writeDoubleLE(checkedAt ?? Number.NaN, start)
}

function writeRow(bytes: Buffer, start: number, row: NewRow, versionBytes: number): void {
  writeCheckedAt(bytes, start, row.checkedAt)
  bytes.writeUInt32LE(row.json.length, start + jsonLengthAt)
  bytes.writeUInt16LE(versionBytes, start + versionLengthAt)
  bytes.write(row.digest, start + digestAt, 'hex')
  bytes.write(row.version, start + headerBytes)
  bytes.set(row.json, start + headerBytes + versionBytes)
}
