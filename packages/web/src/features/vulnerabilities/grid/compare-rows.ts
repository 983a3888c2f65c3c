interface Identified {
  id: number
}

/** Consecutive rows of a list. */
export interface RowWindow<Row> {
  rows: readonly Row[]
  isAtStart: boolean
  isAtEnd: boolean
}

/**
 * Returns the rows that a newer state of a list adds to the shown rows and that it lacks. Rows that others have pushed
 * across an edge of the window are neither, because the list has them as before.
 */
export function compareRows<Row extends Identified>(
  shown: RowWindow<Row>,
  latest: RowWindow<Row>,
): { added: Row[]; gone: Row[] } {
  return { added: missingIn(shown, latest), gone: missingIn(latest, shown) }
}

/** Returns the rows of `full` that `other` lacks, except where they may lie beyond the edges of `other`. */
function missingIn<Row extends Identified>(other: RowWindow<Row>, full: RowWindow<Row>): Row[] {
  const known = new Set(other.rows.map(({ id }) => id))
  const common = full.rows.flatMap(({ id }, index) => (known.has(id) ? [index] : []))
  const first = other.isAtStart && full.isAtStart ? 0 : (common[0] ?? full.rows.length)
  // Without a common row, all rows of a list that begins here are new.
  const last = other.isAtEnd || common.length === 0 ? full.rows.length : (common.at(-1) ?? 0)
  return full.rows.slice(first, last).filter(({ id }) => !known.has(id))
}
