import { hash } from 'node:crypto'

/** Longer keys, such as those with a search of a request, would need more memory than their values and have no weight. */
const maxKeyLength = 400

const hashLength = 43

/** A key as long as a hash is hashed too. Otherwise a client could send the hash of another key, and replace its value. */
const shortened = (key: string): string =>
  key.length > maxKeyLength || key.length === hashLength ? hash('sha256', key, 'base64url') : key

/**
 * Opens a map with a limit for the total weight of its values. To make room it evicts the oldest value that has not been used
 * since it was passed over for the last time (second chance). A hit sets a flag: moving the entry to the end of the map, as
 * a list in strict order of use does, takes V8 more than a microsecond. Keeps a hash in place of a long key.
 */
export function weightedLru<Value>(limit: number, weigh: (value: Value) => number) {
  interface Entry {
    value: Value
    weight: number
    isUsed: boolean
  }
  const entries = new Map<string, Entry>()
  let fromOldest: MapIterator<[string, Entry]> | undefined
  let total = 0

  function remove(key: string): void {
    total -= entries.get(key)?.weight ?? 0
    entries.delete(key)
  }

  /** Removes an entry without an eviction. An iterator that is not advanced keeps the map's former tables, and their values, in memory. */
  function drop(key: string): void {
    if (!entries.has(key)) return
    remove(key)
    fromOldest = undefined
  }

  /**
   * Evicts entries, oldest first. Continues one iterator across calls: a `Map` keeps the slots of deleted entries until it is
   * rehashed, and a new iterator would step over thousands of them.
   */
  function makeRoom(weight: number): void {
    while (total + weight > limit && entries.size > 0) {
      fromOldest ??= entries.entries()
      const { value: next } = fromOldest.next()
      if (next === undefined) {
        fromOldest = undefined
        continue
      }
      const [key, entry] = next
      if (entry.isUsed) {
        entry.isUsed = false
        entries.delete(key)
        entries.set(key, entry)
      } else remove(key)
    }
  }

  return {
    /** Total weight of the values. */
    weight: (): number => total,
    delete: (key: string): void => drop(shortened(key)),
    get(key: string): Value | undefined {
      const entry = entries.get(shortened(key))
      if (!entry) return undefined
      entry.isUsed = true
      return entry.value
    },
    set(given: string, value: Value): void {
      const key = shortened(given)
      drop(key)
      const weight = weigh(value)
      if (weight > limit) return
      makeRoom(weight)
      entries.set(key, { value, weight, isUsed: false })
      total += weight
    },
  }
}
