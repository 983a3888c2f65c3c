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

/** Holds `limit` entries; the ones least recently used go first. */
export function openCache<Held>(changes: Changes, tables: readonly string[], limit: number): Cache<Held> {
  const entries = new Map<string, { stamp: number; value: Held }>()

  function peek(key: string): Held | undefined {
    const entry = entries.get(key)
    if (!entry) return undefined
    entries.delete(key)
    if (entry.stamp !== changes.stamp(tables)) return undefined
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
      entries.delete(key)
      entries.set(key, { stamp, value })
      const oldest = entries.keys().next()
      if (entries.size > limit && !oldest.done) entries.delete(oldest.value)
    }
    return value
  }

  return { peek, get }
}
