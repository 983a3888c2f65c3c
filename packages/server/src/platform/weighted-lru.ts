/** Opens a map that evicts the least recently used values when their total weight exceeds the limit. */
export function weightedLru<Value>(limit: number, weigh: (value: Value) => number) {
  const entries = new Map<string, { value: Value; weight: number }>()
  let total = 0
  const remove = (key: string) => {
    total -= entries.get(key)?.weight ?? 0
    entries.delete(key)
  }
  return {
    delete: remove,
    get(key: string): Value | undefined {
      const entry = entries.get(key)
      if (!entry) return undefined
      entries.delete(key)
      entries.set(key, entry)
      return entry.value
    },
    set(key: string, value: Value): void {
      remove(key)
      const weight = weigh(value)
      if (weight > limit) return
      entries.set(key, { value, weight })
      total += weight
      for (const oldest of entries.keys()) {
        if (total <= limit) break
        remove(oldest)
      }
    },
  }
}
