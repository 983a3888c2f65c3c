/** Generator of repeatable pseudo-random numbers, so that every demo shows the same data. */
export interface Random {
  /** Returns a whole number from 0 to `limit` - 1. */
  below(limit: number): number
  /** Returns an entry of a list that is not empty. */
  pick<T>(list: readonly T[]): T
}

/** Creates a generator (mulberry32) whose sequence depends on the text alone. */
export function openRandom(text: string): Random {
  let state = [...text].reduce((hash, letter) => Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193), 0x811c9dc5)
  const below = (limit: number) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
  function pick<T>(list: readonly T[]): T {
    const [entry] = list.slice(below(list.length))
    if (entry === undefined) throw new Error('the list is empty')
    return entry
  }
  return { below, pick }
}
