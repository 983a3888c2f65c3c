import type { Metrics } from '../../platform/metrics.ts'
import type { ByteRange, ObjectStore, Pieces } from '../../platform/object-store/objects.ts'
import { DamagedObject, openVerified, type RecordedFile, verify } from '../../platform/object-store/verified-pieces.ts'

interface Stores {
  readonly objects: ObjectStore
  readonly metrics: Metrics
}

/**
 * Opens a stored file. If its digest differs, reading throws `DamagedObject` before it returns the last bytes, unless this
 * version of the file was verified before.
 */
export async function openIntact(
  deps: Stores,
  file: RecordedFile,
  range?: ByteRange,
): Promise<Buffer | Pieces | undefined> {
  const pieces = await counted(deps, openVerified(deps.objects, file, range))
  if (!pieces || Buffer.isBuffer(pieces)) return pieces
  return { next: (maxBytes) => counted(deps, pieces.next(maxBytes)), close: pieces.close }
}

/** Reads a stored file completely. Throws when it is missing or damaged. */
export async function assertIntact(deps: Stores, file: RecordedFile): Promise<void> {
  const isThere = await counted(deps, verify(deps.objects, file))
  if (!isThere) throw new Error(`the object ${file.key} is not in the object store`)
}

async function counted<T>({ metrics }: Stores, reading: Promise<T>): Promise<T> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof DamagedObject) metrics.countDamagedFile()
    throw error
  }
}
