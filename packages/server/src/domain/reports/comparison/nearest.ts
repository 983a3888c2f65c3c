interface Lined {
  line: number
}

/**
 * Pairs findings of one rule in one file that moved and have nothing but their line: each with the one that is nearest to
 * it, if that is nearest in both directions. A tie leaves both sides alone. When all moved by the same number of lines, and
 * the nearest ones contradict that, it is not known which moved where, and none is paired.
 */
export function pairNearest<Fresh extends Lined, Known extends Lined>(
  fresh: readonly Fresh[],
  known: readonly Known[],
): { fresh: Fresh; known: Known }[] {
  const pairs: { fresh: Fresh; known: Known }[] = []
  const after = fresh.toSorted((a, b) => a.line - b.line)
  const before = known.toSorted((a, b) => a.line - b.line)
  for (const one of after) {
    const other = onlyNearest(one, before)
    if (other && onlyNearest(other, after) === one) pairs.push({ fresh: one, known: other })
  }
  const shift = commonShift(after, before)
  return shift === undefined || pairs.every((pair) => pair.fresh.line - pair.known.line === shift) ? pairs : []
}

/** `inOrder` is sorted by line. Undefined when two are equally near. */
function onlyNearest<Other extends Lined>({ line }: Lined, inOrder: readonly Other[]): Other | undefined {
  let [low, high] = [0, inOrder.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((inOrder[middle]?.line ?? 0) < line) low = middle + 1
    else high = middle
  }
  // The two before and the two after the line hold the nearest one, and another one that is as near.
  const around = inOrder.slice(Math.max(0, low - 2), low + 2)
  const distance = (other: Other): number => Math.abs(other.line - line)
  const least = Math.min(...around.map(distance))
  const nearest = around.filter((other) => distance(other) === least)
  return nearest.length === 1 ? nearest[0] : undefined
}

/** By how many lines all of several moved, if it is the same number for all. Both are sorted by line. */
function commonShift(after: readonly Lined[], before: readonly Lined[]): number | undefined {
  if (after.length !== before.length || after.length < 2) return undefined
  const shifts = new Set(after.map(({ line }, index) => line - (before[index]?.line ?? 0)))
  return shifts.size === 1 ? [...shifts][0] : undefined
}
