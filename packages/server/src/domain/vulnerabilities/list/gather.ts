import { setImmediate } from 'node:timers/promises'
import type { Code } from './codes.ts'
import type { Position } from './list-queries.ts'

/** A way to find all that a list has, in whatever order, perhaps more than once. */
export interface Way {
  go(): AsyncGenerator<readonly Position[]>
  /** The others have so much time before this one sets out. */
  waitsMs?: number
}

/** A whole list in its order, as codes. */
export type Gathered = Float64Array | 'too many'

/**
 * All of a list, unless it has more than so many. The ways are gone together, for the same time each: whichever comes to
 * its end first was the shortest, and nobody has to know beforehand which one that is.
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

/** All of a list, however long. */
export async function gatherAll(ways: readonly Way[], code: Code): Promise<Float64Array> {
  const found = ways.map((): number[] => [])
  const first = await goTogether(ways, (way, positions) => {
    for (const position of positions) found[way]?.push(code.of(position))
    return true
  })
  return inOrder(found[first ?? 0] ?? [])
}

/**
 * Which of the ways came to its end first; none when whoever keeps what they find has enough. A slice of one may take
 * ten times as long as a slice of another: whoever has had the least time goes next.
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

/** So many are sorted or merged before others have their turn. */
const sortedAtOnce = 65_536

/** Each once, from the lowest to the highest. */
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
