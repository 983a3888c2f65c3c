import { perDatabase } from '../../../db/cache.ts'
import { weightedLru } from '../../../platform/weighted-lru.ts'
import { maxPackedBytes, type PackedEntries } from '../reader/cached-entries.ts'

/** Approximate memory of a key and its place in the map. */
const overheadBytes = 1024

/**
 * Returns the cache of entries: for each kind of report of a project and each category, the entries of the last imported one.
 * It does not outlive the process, so cached entries were always read by the current code.
 */
export const entryCacheOf = perDatabase(() =>
  weightedLru<PackedEntries>(maxPackedBytes, ({ byteLength }) => byteLength + overheadBytes),
)

/** Thrown when a cached entry was used whose finding has changed since. The report must be read without the cache. */
export class OutdatedEntries extends Error {}
