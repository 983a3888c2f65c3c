interface WithLine {
  line: number
}

/**
 * Pairs moved findings of one rule in one file that have no key but their line. Two findings pair if each is the
 * nearest to the other; a tie pairs neither. If all findings moved by the same number of lines and a pair contradicts
 * that, the result is ambiguous and empty.
 */
export function pairNearest<Reported extends WithLine, Known extends WithLine>(
  reported: readonly Reported[],
  known: readonly Known[],
): { reported: Reported; known: Known }[] {
  const pairs: { reported: Reported; known: Known }[] = []
  const after = reported.toSorted((a, b) => a.line - b.line)
  const before = known.toSorted((a, b) => a.line - b.line)
  for (const one of after) {
    const other = onlyNearest(one, before)
    if (other && onlyNearest(other, after) === one) pairs.push({ reported: one, known: other })
  }
  const shift = commonShift(after, before)
  return shift === undefined || pairs.every((pair) => pair.reported.line - pair.known.line === shift) ? pairs : []
}

/** Returns the nearest element of a list sorted by line, or undefined when two are equally near. */
function onlyNearest<Other extends WithLine>({ line }: WithLine, inOrder: readonly Other[]): Other | undefined {
  let [low, high] = [0, inOrder.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((inOrder[middle]?.line ?? 0) < line) low = middle + 1
    else high = middle
  }
  // The two elements before and the two after the line include the nearest one and any tie.
  const around = inOrder.slice(Math.max(0, low - 2), low + 2)
  const distance = (other: Other): number => Math.abs(other.line - line)
  const shortest = Math.min(...around.map(distance))
  const nearest = around.filter((other) => distance(other) === shortest)
  return nearest.length === 1 ? nearest[0] : undefined
}

/** Returns the number of lines that all findings moved by, if it is the same for all. Both lists are sorted by line. */
function commonShift(after: readonly WithLine[], before: readonly WithLine[]): number | undefined {
  if (after.length !== before.length || after.length < 2) return undefined
  const shifts = new Set(after.map(({ line }, index) => line - (before[index]?.line ?? 0)))
  return shifts.size === 1 ? [...shifts][0] : undefined
}
