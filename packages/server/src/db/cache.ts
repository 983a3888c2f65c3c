import type { Changes } from './db.ts'

/**
 * What a process remembers of the database. An entry was made at a stamp of the tables it was read from and is shown
 * only while the stamp is the same, so what one request changed the next one sees.
 */
export interface Cache<Held> {
  /** The remembered value if it may still be shown. */
  peek(key: string): Held | undefined
  /** The remembered value, or else the loaded one. `undefined` and what a failed load throws are not remembered. */
  get(key: string, load: () => Promise<Held>): Promise<Held>
  /** As `get`, for what takes long: whoever asks meanwhile waits for the same. Not inside a transaction. */
  getTogether(key: string, load: () => Promise<Held>): Promise<Held>
  /** Tells that a value weighs more than when it was loaded. */
  grown(key: string, value: Held): void
}

/**
 * Holds entries of at most `limit` together, each counting 1 or what it weighs; the least recently used go first. What
 * weighs more than that alone is not remembered.
 */
export function openCache<Held>(
  changes: Changes,
  tables: readonly string[],
  limit: number,
  weigh: (value: Held) => number = () => 1,
): Cache<Held> {
  const entries = new Map<string, { stamp: number; value: Held; weight: number }>()
  const loading = new Map<string, { stamp: number; value: Promise<Held> }>()
  let total = 0

  function peek(key: string): Held | undefined {
    const entry = entries.get(key)
    if (!entry) return undefined
    if (entry.stamp !== changes.stamp(tables)) {
      remove(key)
      return undefined
    }
    entries.delete(key)
    entries.set(key, entry)
    return entry.value
  }

  async function get(key: string, load: () => Promise<Held>): Promise<Held> {
    const held = peek(key)
    if (held !== undefined) return held
    // Taken before reading: a write in between leaves a stale stamp, never a stale answer.
    const stamp = changes.stamp(tables)
    const value = await load()
    if (stamp !== undefined && value !== undefined) put(key, stamp, value)
    return value
  }

  async function getTogether(key: string, load: () => Promise<Held>): Promise<Held> {
    const stamp = changes.stamp(tables)
    const other = loading.get(key)
    if (other && other.stamp === stamp) return other.value
    const value = get(key, load)
    if (stamp === undefined) return value
    const mine = { stamp, value }
    loading.set(key, mine)
    try {
      return await value
    } finally {
      if (loading.get(key) === mine) loading.delete(key)
    }
  }

  function grown(key: string, value: Held): void {
    const entry = entries.get(key)
    if (entry?.value === value) put(key, entry.stamp, value)
  }

  function put(key: string, stamp: number, value: Held): void {
    remove(key)
    const weight = weigh(value)
    if (weight > limit) return
    entries.set(key, { stamp, value, weight })
    total += weight
    for (const oldest of entries.keys()) {
      if (total <= limit) break
      remove(oldest)
    }
  }

  function remove(key: string): void {
    const entry = entries.get(key)
    if (!entry) return
    entries.delete(key)
    total -= entry.weight
  }

  return { peek, get, getTogether, grown }
}

/** What is kept for each database: made when it is first asked for, gone with the database. */
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
