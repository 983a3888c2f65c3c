/** Position of a row in a list: its severity, its sort key if the order has one, and, to break ties, its id. */
export interface Cursor {
  severity: number
  sortKey?: number | string | undefined
  id: number
}

type Direction = 'asc' | 'desc'

/** A value of each row, other than its severity, by which a list is ordered. */
interface SortKey {
  /** A column or expression of the table, never null. An index has it after the facets and before the id. */
  sql: string
  type: 'number' | 'string'
}

/** Order of a list: by severity and then by id, by a sort key and then by id in the same direction, or by id alone. */
export interface ListOrder {
  severity?: Direction | undefined
  key?: SortKey
  id: Direction
}

/** Returns the order of a list that is read from its end. */
export function reversed({ severity, ...order }: ListOrder): ListOrder {
  return { ...order, severity: severity && opposite(severity), id: opposite(order.id) }
}

const opposite = (direction: Direction): Direction => (direction === 'asc' ? 'desc' : 'asc')

/** Compares two positions. */
export function compareIn({ severity, key, id }: ListOrder): (a: Cursor, b: Cursor) => number {
  const severitySign = severity === undefined ? 0 : severity === 'asc' ? 1 : -1
  const idSign = id === 'asc' ? 1 : -1
  return (a, b) =>
    severitySign * (a.severity - b.severity) ||
    idSign * (key ? compareKeys(a.sortKey, b.sortKey) : 0) ||
    idSign * (a.id - b.id)
}

/** Returns a position between a row and the one before it. */
export function justBefore(cursor: Cursor, { id }: ListOrder): Cursor {
  return { ...cursor, id: cursor.id + (id === 'asc' ? -1 : 1) }
}

function compareKeys(a: Cursor['sortKey'], b: Cursor['sortKey']): number {
  if (a === undefined || b === undefined || a === b) return 0
  return a < b ? -1 : 1
}

/** Returns true if a position belongs to a list in this order. */
export function isPositionIn({ key }: ListOrder, cursor: Cursor): boolean {
  return typeof cursor.sortKey === (key?.type ?? 'undefined')
}
