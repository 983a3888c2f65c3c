import { createHash, hash } from 'node:crypto'
import { weightedLru } from '../weighted-lru.ts'
import type { ByteRange, ObjectStore, Pieces } from './objects.ts'
import { openReader, readRemaining } from './pieces.ts'

/** Object as recorded in the database. */
export interface RecordedFile {
  readonly key: string
  readonly bytes: number
  /** Lower-case hex. Null if it is unknown; then only the size is verified. */
  readonly sha256: string | null
}

/** Thrown when the content of an object is not what was stored. */
export class DamagedObject extends Error {
  constructor({ key, bytes }: RecordedFile, what: string) {
    super(`the object ${key} of ${bytes} bytes is damaged: ${what}`)
    this.name = 'DamagedObject'
  }
}

/** Maximum size of files that are read completely even for a range. */
const wholeBytes = 512 * 1024
/** Maximum size of files that are read completely before the first byte is sent, so that an error is a response. */
const smallBytes = 64 * 1024
const maxVerified = 10_000
/** Maximum size of the small files that are kept in memory, such as avatars and pictures in texts. */
const maxKeptBytes = 4 * 1024 * 1024
/** Approximate size of a kept file without its content. */
const overheadBytes = 500

/** Versions of objects whose digest was verified, by store and key. */
const verified = new WeakMap<ObjectStore, ReturnType<typeof openVerifiedVersions>>()

const openVerifiedVersions = () => weightedLru<string>(maxVerified, () => 1)

/** Contents of small files whose digest was verified, by store. Keys are never reused, so they cannot be outdated. */
const kept = new WeakMap<ObjectStore, ReturnType<typeof openKept>>()

const openKept = () => weightedLru<Buffer>(maxKeptBytes, ({ length }) => length + overheadBytes)

/**
 * Opens an object and verifies its size and SHA-256 while it is read. If they are wrong, throws `DamagedObject` instead
 * of returning the last buffer. A small object, and a range of one, is returned as a buffer. If the store has versions,
 * a version of a large object that was verified before is read without its SHA-256, and a range of another version is
 * returned after the whole object was verified.
 */
export async function openVerified(
  objects: ObjectStore,
  file: RecordedFile,
  range?: ByteRange,
): Promise<Buffer | Pieces | undefined> {
  if (file.bytes > 0 && file.bytes <= smallBytes) {
    const content = await readKept(objects, file)
    return range ? content?.subarray(range.start, range.end + 1) : content
  }
  if (range && file.bytes <= wholeBytes) {
    return (await readWhole(objects, file))?.subarray(range.start, range.end + 1)
  }
  const pieces = await openReader(objects, file.key, range)
  const version = pieces?.version?.()
  if (!pieces || (version !== undefined && verified.get(objects)?.get(file.key) === version)) return pieces
  if (!range) return verifying(objects, file, pieces)
  if (version === undefined) return pieces
  // A range cannot be verified alone, so the whole object is read first.
  pieces.close()
  return (await readToEnd(await openWhole(objects, file))) ? openReader(objects, file.key, range) : undefined
}

/** Reads an object completely and verifies it. Returns false when it does not exist; throws `DamagedObject`. */
export async function verify(objects: ObjectStore, file: RecordedFile): Promise<boolean> {
  return readToEnd(await openWhole(objects, file))
}

async function readToEnd(pieces: Pieces | undefined): Promise<boolean> {
  if (!pieces) return false
  try {
    while (await pieces.next(wholeBytes));
  } finally {
    pieces.close()
  }
  return true
}

function recordVerified(objects: ObjectStore, { key }: RecordedFile, version: string): void {
  const known = verified.get(objects) ?? openVerifiedVersions()
  verified.set(objects, known)
  known.set(key, version)
}

async function openWhole(objects: ObjectStore, file: RecordedFile): Promise<Pieces | undefined> {
  const pieces = await openReader(objects, file.key)
  return pieces && verifying(objects, file, pieces)
}

/** Verifies an object while it is read. If it is intact, records its version. */
function verifying(objects: ObjectStore, file: RecordedFile, pieces: Pieces): Pieces {
  // Read before the content, so that a concurrent write is noticed.
  const version = pieces.version?.()
  const hash = createHash('sha256')
  let left = file.bytes
  let isEnded = false
  return {
    async next(maxBytes) {
      if (isEnded) return undefined
      const asked = Math.min(maxBytes, left + 1)
      const isLast = asked > left
      const piece = await pieces.next(asked)
      left -= piece?.length ?? 0
      if (left < 0) throw new DamagedObject(file, 'it is longer')
      if (piece && left > 0) {
        hash.update(piece)
        return piece
      }
      isEnded = true
      if (left > 0) throw new DamagedObject(file, `its last ${left} bytes are missing`)
      if (piece) hash.update(piece)
      if (file.sha256 !== null && hash.digest('hex') !== file.sha256)
        throw new DamagedObject(file, 'its SHA-256 is another')
      const isAtEnd = !piece || isLast
      // Only another read shows whether the object ends here, and it invalidates the buffer.
      const last = isAtEnd ? piece : Buffer.from(piece)
      if (!isAtEnd && (await pieces.next(1))) throw new DamagedObject(file, 'it is longer')
      if (version !== undefined) recordVerified(objects, file, version)
      return last
    },
    close: pieces.close,
  }
}

/** Returns a small file from memory, or reads it. */
async function readKept(objects: ObjectStore, file: RecordedFile): Promise<Buffer | undefined> {
  if (file.sha256 === null) return readSmall(objects, file)
  const contents = kept.get(objects) ?? openKept()
  kept.set(objects, contents)
  const key = `${file.sha256} ${file.key}`
  const known = contents.get(key)
  if (known) return known
  const content = await readSmall(objects, file)
  if (content) contents.set(key, content)
  return content
}

/** Reads a small object with one read, if the store can. */
async function readSmall(objects: ObjectStore, file: RecordedFile): Promise<Buffer | undefined> {
  if (!objects.readStart) return readWhole(objects, file)
  const content = await objects.readStart(file.key, file.bytes + 1)
  if (!content) return undefined
  // The system may return fewer bytes than there are. Reading again shows whether they are missing.
  if (content.length < file.bytes) return readWhole(objects, file)
  if (content.length > file.bytes) throw new DamagedObject(file, 'it is longer')
  if (file.sha256 !== null && hash('sha256', content) !== file.sha256)
    throw new DamagedObject(file, 'its SHA-256 is another')
  return content
}

async function readWhole(objects: ObjectStore, file: RecordedFile): Promise<Buffer | undefined> {
  const pieces = await openWhole(objects, file)
  return pieces && readRemaining(pieces)
}
