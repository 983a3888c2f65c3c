import { perDatabase } from '../../../db/cache.ts'
import { weightedLru } from '../../../platform/weighted-lru.ts'
import type { RootDeps } from '../../deps.ts'
import type { PackedEntries } from '../reader/cached-entries.ts'

/** Maximum size of all cached entries. */
export const maxCachedBytes = 16 * 1024 * 1024

/** Approximate memory of a key and its place in the map. */
const overheadBytes = 1024

const caches = perDatabase(() =>
  weightedLru<PackedEntries>(maxCachedBytes, ({ byteLength }) => byteLength + overheadBytes),
)

/**
 * Returns the cache of entries for reports of one category, or without one: for each `entryContext`, the entries of the last
 * imported report. It does not outlive the process, so cached entries were always read by the current code.
 */
export function entryCacheOf({ db }: Pick<RootDeps, 'db'>, category: string | null | undefined) {
  const cache = caches(db)
  const keyOf = (entryContext: string) => `${entryContext} ${category ?? ''}`
  return {
    get: (entryContext: string): PackedEntries | undefined => cache.get(keyOf(entryContext)),
    /** Stores a copy, because the given buffer keeps more of the reading thread's memory allocated. */
    set(entryContext: string, entries: PackedEntries): void {
      if (entries.byteLength > 0) cache.set(keyOf(entryContext), entries.slice())
    },
    delete: (entryContext: string): void => cache.delete(keyOf(entryContext)),
  }
}

/** Thrown when a cached entry was used whose finding has changed since. The report must be read without the cache. */
export class OutdatedEntries extends Error {}
