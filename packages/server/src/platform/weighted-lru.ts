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
  let oldest: MapIterator<[string, Entry]> | undefined
  let total = 0

  function remove(key: string): void {
    total -= entries.get(key)?.weight ?? 0
    entries.delete(key)
  }

  /**
   * Evicts from the oldest entry on. A new iterator would skip the places of all evicted entries, which a `Map` keeps until
   * it grows: thousands in a large cache. So one is continued, and ends only after the entries that were added again.
   */
  function makeRoom(weight: number): void {
    while (total + weight > limit && entries.size > 0) {
      oldest ??= entries.entries()
      const { value: next } = oldest.next()
      if (next === undefined) {
        oldest = undefined
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
    delete(key: string): void {
      remove(shortened(key))
      oldest = undefined // it would keep deleted values in memory if no entry is evicted any more
    },
    get(key: string): Value | undefined {
      const entry = entries.get(shortened(key))
      if (!entry) return undefined
      entry.isUsed = true
      return entry.value
    },
    set(given: string, value: Value): void {
      const key = shortened(given)
      remove(key)
      const weight = weigh(value)
      if (weight > limit) return
      makeRoom(weight)
      entries.set(key, { value, weight, isUsed: false })
      total += weight
    },
  }
}
