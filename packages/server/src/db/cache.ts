import { weightedLru } from '../platform/weighted-lru.ts'
import type { Changes } from './db.ts'

/**
 * In-process cache of database values. An entry records the versions of the tables that it was loaded from and is only
 * used while those versions are unchanged, so every request sees all earlier changes. A value that depends on rows of
 * one project only, and always has the same one for a key, stays valid while others change: pass the project's id.
 */
export interface Cache<Held> {
  /** Returns the cached value if it is still valid. */
  peek(key: string, projectId?: number): Held | undefined
  /** Returns the cached value, or loads it. Does not cache `undefined` or failed loads. */
  get(key: string, load: () => Promise<Held>, projectId?: number): Promise<Held>
  /**
   * Like `get`, for slow loads: concurrent callers share one load. Must not be called inside a transaction. Does not cache
   * values that `isCacheable` excludes, because they depend on more than the tables.
   */
  getShared(
    key: string,
    load: () => Promise<Held>,
    projectId?: number,
    isCacheable?: (value: Held) => boolean,
  ): Promise<Held>
  /**
   * Returns the current version of the tables, to be read before values are loaded that `set` then adds. For values that
   * are loaded together.
   */
  version(projectId?: number): number | undefined
  /** Adds a value that was loaded after this version was read. */
  set(key: string, value: Held, version: number | undefined): void
  /** Updates the weight of a value that has grown since it was loaded. */
  updateWeight(key: string, value: Held): void
}

/** Entries of one or several caches, with a maximum total weight. */
export type CacheEntries<Held> = ReturnType<typeof openCacheEntries<Held>>

export function openCacheEntries<Held>(limit: number, weigh: (value: Held) => number) {
  return weightedLru<{ version: number; value: Held }>(limit, ({ value }) => weigh(value))
}

/**
 * Opens a cache with a maximum total weight of `limit`; each entry weighs 1 by default. Evicts entries as `weightedLru`
 * does, and does not cache a value heavier than the limit.
 */
export function openCache<Held>(
  changes: Changes,
  tables: readonly string[],
  limit: number,
  weigh: (value: Held) => number = () => 1,
): Cache<Held> {
  return openSharedCache(changes, tables, openCacheEntries(limit, weigh))
}

/** Opens a cache that keeps its entries, and so its limit, together with other caches. Their keys must differ. */
export function openSharedCache<Held>(
  changes: Changes,
  tables: readonly string[],
  entries: CacheEntries<Held>,
): Cache<Held> {
  const loading = new Map<string, { version: number; value: Promise<Held> }>()

  function peek(key: string, projectId?: number): Held | undefined {
    const entry = entries.get(key)
    if (!entry) return undefined
    if (entry.version !== changes.version(tables, projectId)) {
      entries.delete(key)
      return undefined
    }
    return entry.value
  }

  async function get(
    key: string,
    load: () => Promise<Held>,
    projectId?: number,
    isCacheable: (value: Held) => boolean = () => true,
  ): Promise<Held> {
    const held = peek(key, projectId)
    if (held !== undefined) return held
    // Read the version first: a concurrent write then makes the new entry stale, instead of hiding the change.
    const version = changes.version(tables, projectId)
    const value = await load()
    if (version !== undefined && value !== undefined && isCacheable(value)) entries.set(key, { version, value })
    return value
  }

  async function getShared(
    key: string,
    load: () => Promise<Held>,
    projectId?: number,
    isCacheable?: (value: Held) => boolean,
  ): Promise<Held> {
    const held = peek(key, projectId)
    if (held !== undefined) return held
    const version = changes.version(tables, projectId)
    const other = loading.get(key)
    if (other && other.version === version) return other.value
    const value = get(key, load, projectId, isCacheable)
    if (version === undefined) return value
    const mine = { version, value }
    loading.set(key, mine)
    try {
      return await value
    } finally {
      if (loading.get(key) === mine) loading.delete(key)
    }
  }

  function updateWeight(key: string, value: Held): void {
    const entry = entries.get(key)
    if (entry?.value === value) entries.set(key, entry)
  }

  function set(key: string, value: Held, version: number | undefined): void {
    if (version !== undefined) entries.set(key, { version, value })
  }

  return { peek, get, getShared, set, updateWeight, version: (projectId) => changes.version(tables, projectId) }
}

/** Returns an accessor of per-database state. The state is created on first use and freed with the database. */
export function perDatabase<Kept>(open: (changes: Changes) => Kept): (db: { changes: Changes }) => Kept {
  const kept = new WeakMap<Changes, Kept>()
  return ({ changes }) => {
    const known = kept.get(changes)
    if (known) return known
    const opened = open(changes)
    kept.set(changes, opened)
    return opened
  }
}
