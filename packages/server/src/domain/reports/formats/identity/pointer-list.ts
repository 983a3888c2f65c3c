/** A compact list of JSON pointers to the entries of a report: `/vulnerabilities/1` differs from the next one by its number. */
export interface PointerList {
  /** Returns the ordinal of the added pointer. */
  push: (pointer: string) => number
  at: (ordinal: number) => string
}

export function startPointerList(): PointerList {
  // Consecutive pointers with one prefix and increasing numbers form a run. Each list has one element per run.
  const firstOrdinals: number[] = []
  const prefixes: string[] = []
  /** Number minus ordinal; `NaN` for a pointer that does not end with a number, which is a run of its own. */
  const offsets: number[] = []
  let count = 0

  return {
    push(pointer) {
      const [, prefix = pointer, digits] = /^(.*\/)(0|[1-9]\d{0,8})$/s.exec(pointer) ?? []
      const offset = Number(digits) - count
      const last = prefixes.at(-1)
      if (prefix !== last || offset !== offsets.at(-1)) {
        firstOrdinals.push(count)
        // A part of the pointer keeps all of it in memory, so consecutive runs share one string.
        prefixes.push(prefix === last ? last : prefix)
        offsets.push(offset)
      }
      return count++
    },
    at(ordinal) {
      const run = lastAtMost(firstOrdinals, ordinal)
      const offset = offsets[run] ?? Number.NaN
      return `${prefixes[run]}${Number.isNaN(offset) ? '' : ordinal + offset}`
    },
  }
}

/** Returns the index of the last number that is at most `limit`, in a sorted list that begins with such a number. */
function lastAtMost(sorted: readonly number[], limit: number): number {
  let [from, to] = [0, sorted.length - 1]
  while (from < to) {
    const middle = Math.ceil((from + to) / 2)
    if ((sorted[middle] ?? 0) <= limit) from = middle
    else to = middle - 1
  }
  return from
}
