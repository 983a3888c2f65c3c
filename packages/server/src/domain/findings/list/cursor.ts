/** Position of a row in a list: its severity and, to break ties, its id. */
export interface Cursor {
  severity: number
  id: number
}

type Direction = 'asc' | 'desc'

/** Order of a list: by severity and then by id, or by id alone. */
export interface ListOrder {
  severity?: Direction
  id: Direction
}

/** Compares two positions. */
export function compareIn({ severity, id }: ListOrder): (a: Cursor, b: Cursor) => number {
  const severitySign = severity === undefined ? 0 : severity === 'asc' ? 1 : -1
  const idSign = id === 'asc' ? 1 : -1
  return (a, b) => severitySign * (a.severity - b.severity) || idSign * (a.id - b.id)
}
