import { setImmediate } from 'node:timers/promises'
import type { Db } from '../../../../db/db.ts'
import { allocateMapped } from '../../../../platform/mapped-buffer.ts'
import { batchesOf } from '../../../batches.ts'
import { hasAnyFinding, listDigests } from '../../../findings/findings.ts'
import { packContents, type StoredContents } from '../../comparison/stored-contents.ts'

/** File size from which it is faster to load the digests than to send the rows of unchanged findings to the main thread. */
export const minStoredBytes = 256 * 1024

/** Report size from which the uuids of a project are divided into 256 ranges instead of 16. */
const manyRangesBytes = 8 * 1024 * 1024

/** Number of ranges that are read concurrently. On SQLite a query blocks the process. */
const rangesAtOnce = { sqlite: 1, postgres: 4 } as const

/** Maximum number of findings of a range. The rows of further ones are sent, even if they are unchanged. */
const maxInRange = 2000

/**
 * Returns the stored findings of the project that a report of this size may contain, or undefined if there are none.
 * Reads them by ranges of uuids, which are evenly distributed: PostgreSQL may sort what follows a uuid in the whole
 * project for every page, until a table that has grown quickly is analysed.
 */
export async function loadStoredContents(
  db: Db,
  projectId: number,
  reportBytes: number,
): Promise<StoredContents | undefined> {
  if (reportBytes < minStoredBytes || !(await hasAnyFinding(db, projectId))) return undefined
  const packed: StoredContents[] = []
  const ranges = uuidRanges(reportBytes < manyRangesBytes ? 1 : 2)
  for (const concurrent of batchesOf(ranges, rangesAtOnce[db.dialect.engine])) {
    const reads = concurrent.map(([from, before]) => listDigests(db, projectId, { from, before, limit: maxInRange }))
    for (const batch of await Promise.all(reads)) if (batch.length > 0) packed.push(packContents(batch))
    await setImmediate()
  }
  return packed.length > 0 ? joined(packed) : undefined
}

/** Returns ranges of uuids by their first hexadecimal digits: `['00', '01']`, `['01', '02']`, …, `['ff', 'g']`. */
function uuidRanges(digits: number): [from: string, before: string][] {
  const count = 16 ** digits
  const prefixOf = (number: number) => (number < count ? number.toString(16).padStart(digits, '0') : 'g')
  return Array.from({ length: count }, (_, number) => [prefixOf(number), prefixOf(number + 1)])
}

function joined(parts: readonly StoredContents[]): StoredContents {
  const bytes = parts.reduce((sum, { byteLength }) => sum + byteLength, 0)
  const all = new Uint32Array(allocateMapped(bytes))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}
