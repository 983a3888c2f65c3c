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
}

/** Holds entries of at most `limit` together, each counting 1 or what it weighs; the least recently used go first. */
export function openCache<Held>(
  changes: Changes,
  tables: readonly string[],
  limit: number,
  weigh: (value: Held) => number = () => 1,
): Cache<Held> {
  const entries = new Map<string, { stamp: number; value: Held }>()
  let weight = 0

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
    if (stamp !== undefined && value !== undefined) {
      remove(key)
      entries.set(key, { stamp, value })
      weight += weigh(value)
      for (const oldest of entries.keys()) {
        if (weight <= limit) break
        remove(oldest)
      }
    }
    return value
  }

  function remove(key: string): void {
    const entry = entries.get(key)
    if (!entry) return
    entries.delete(key)
    weight -= weigh(entry.value)
  }

  return { peek, get }
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
