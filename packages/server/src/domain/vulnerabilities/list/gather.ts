import { setImmediate } from 'node:timers/promises'
import type { Code } from './codes.ts'
import type { Position } from './list-queries.ts'

/** An access path to all rows of a list, in any order and possibly with duplicates. */
export interface Way {
  go(): AsyncGenerator<readonly Position[]>
  /** Head start of the other access paths. */
  waitsMs?: number
}

/** A complete list as sorted keys. */
export type Gathered = Float64Array | 'too many'

/**
 * Collects a list, unless it has more than `maxRows` rows. Races the access paths with equal time for each: the first
 * one to finish was the fastest, so no cost estimate is needed.
 */
export async function gather(ways: readonly Way[], code: Code, most: number): Promise<Gathered> {
  const distinct = ways.map(() => new Set<number>())
  const first = await goTogether(ways, (way, positions) => {
    const found = distinct[way]
    for (const position of positions) found?.add(code.of(position))
    return (found?.size ?? 0) <= most
  })
  return first === undefined ? 'too many' : inOrder([...(distinct[first] ?? [])])
}

/** Collects a list of any length. */
export async function gatherAll(ways: readonly Way[], code: Code): Promise<Float64Array> {
  const found = ways.map((): number[] => [])
  const first = await goTogether(ways, (way, positions) => {
    for (const position of positions) found[way]?.push(code.of(position))
    return true
  })
  return inOrder(found[first ?? 0] ?? [])
}

/**
 * Races access paths and returns the index of the first one to finish, or `undefined` if `keep` returns false. Batches
 * take different times, so the path that has used the least time continues.
 */
async function goTogether(
  ways: readonly Way[],
  keep: (way: number, positions: readonly Position[]) => boolean,
): Promise<number | undefined> {
  const going = ways.map((way, index) => ({ index, slices: way.go(), spentMs: way.waitsMs ?? 0 }))
  try {
    for (;;) {
      const next = going.reduce((least, other) => (other.spentMs < least.spentMs ? other : least))
      const start = performance.now()
      const { value, done } = await next.slices.next()
      if (done) return next.index
      if (!keep(next.index, value)) return undefined
      next.spentMs += performance.now() - start
      await setImmediate()
    }
  } finally {
    await Promise.all(going.map(({ slices }) => slices.return(undefined)))
  }
}

/** Number of keys that are sorted or merged between two yields to the event loop. */
const sortedAtOnce = 65_536

/** Sorts keys and removes duplicates. */
async function inOrder(codes: readonly number[]): Promise<Float64Array> {
  let parts: Float64Array[] = []
  for (let start = 0; start < codes.length; start += sortedAtOnce) {
    parts.push(Float64Array.from(codes.slice(start, start + sortedAtOnce)).sort())
    await setImmediate()
  }
  while (parts.length > 1) {
    const merged: Float64Array[] = []
    for (let index = 0; index < parts.length; index += 2) {
      merged.push(await merge(parts[index] ?? none, parts[index + 1] ?? none))
    }
    parts = merged
  }
  const [sorted = none] = parts
  let kept = 0
  for (const [index, code] of sorted.entries()) {
    if (index === 0 || code !== sorted[kept - 1]) sorted[kept++] = code
    if (index % sortedAtOnce === 0) await setImmediate()
  }
  return sorted.slice(0, kept)
}

const none = new Float64Array()

async function merge(left: Float64Array, right: Float64Array): Promise<Float64Array> {
  const merged = new Float64Array(left.length + right.length)
  let [fromLeft, fromRight] = [0, 0]
  for (let at = 0; at < merged.length; at++) {
    const [a, b] = [left[fromLeft] ?? Number.POSITIVE_INFINITY, right[fromRight] ?? Number.POSITIVE_INFINITY]
    merged[at] = a <= b ? a : b
    if (a <= b) fromLeft++
    else fromRight++
    if (at % sortedAtOnce === 0) await setImmediate()
  }
  return merged
}
