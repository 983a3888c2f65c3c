import { perDatabase } from '../../../db/cache.ts'
import { weightedLru } from '../../../platform/weighted-lru.ts'
import { maxPackedBytes, type PackedEntries } from '../reader/cached-entries.ts'

const caches = perDatabase(() => weightedLru<PackedEntries>(maxPackedBytes, ({ byteLength }) => byteLength))

/**
 * Returns the cache of entries: for every `Reading.entryContext`, the entries of the last imported report, so that the next
 * one, which is mostly equal, need not be read. Lost when the process ends, so the code that read the entries is the same.
 */
export const entryCacheOf = caches

/** Thrown when a cached entry was used whose finding has changed since. The report must be read without the cache. */
export class OutdatedEntries extends Error {}
