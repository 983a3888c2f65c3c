/** A compact map from hundreds of thousands of texts to numbers. Stores a 64-bit hash in place of each text. */
export interface KeyTable {
  /** Returns the number that was added first under this key. */
  find: (key: KeyHash) => number | undefined
  add: (key: KeyHash, value: number) => void
}

/** Upper and lower half of a 64-bit hash. */
export type KeyHash = readonly [high: number, low: number]

const firstSlots = 1024
/** A fuller table needs less memory, and longer searches for keys that it does not contain. */
const maxLoad = 0.85
/** A report of 400,000 findings has 1.2 million keys: 19 MB, where a table that doubles takes 25. */
const growth = 1.5

export function startKeyTable(): KeyTable {
  let slots = firstSlots
  let high = new Uint32Array(slots)
  let low = new Uint32Array(slots)
  /** The stored number plus one; zero marks an empty slot. */
  let values = new Uint32Array(slots)
  let used = 0

  const slotOf = (h: number, l: number): number => {
    let slot = Math.floor((h / 2 ** 32) * slots)
    while (values[slot] !== 0 && (high[slot] !== h || low[slot] !== l)) slot = (slot + 1) % slots
    return slot
  }
  const put = (h: number, l: number, value: number): void => {
    const slot = slotOf(h, l)
    if (values[slot] !== 0) return
    high[slot] = h
    low[slot] = l
    values[slot] = value
    used++
  }
  const grow = (): void => {
    const before = { high, low, values }
    slots = Math.ceil(slots * growth)
    high = new Uint32Array(slots)
    low = new Uint32Array(slots)
    values = new Uint32Array(slots)
    used = 0
    for (let slot = 0; slot < before.values.length; slot++) {
      const value = before.values[slot] ?? 0
      if (value !== 0) put(before.high[slot] ?? 0, before.low[slot] ?? 0, value)
    }
  }
  return {
    find([h, l]) {
      const value = values[slotOf(h, l)] ?? 0
      return value === 0 ? undefined : value - 1
    },
    add([h, l], value) {
      if (used >= slots * maxLoad) grow()
      put(h, l, value + 1)
    },
  }
}

/** Returns a fast, well distributed hash. It does not resist deliberate collisions. */
export function hashKey(key: string): KeyHash {
  let h = 0xdeadbeef
  let l = 0x41c6ce57
  for (let index = 0; index < key.length; index++) {
    const code = key.charCodeAt(index)
    h = Math.imul(h ^ code, 2654435761)
    l = Math.imul(l ^ code, 1597334677)
  }
  h = Math.imul(h ^ (h >>> 16), 2246822507) ^ Math.imul(l ^ (l >>> 13), 3266489909)
  l = Math.imul(l ^ (l >>> 16), 2246822507) ^ Math.imul(h ^ (h >>> 13), 3266489909)
  return [h >>> 0, l >>> 0]
}
