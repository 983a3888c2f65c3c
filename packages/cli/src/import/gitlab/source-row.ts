/** A row of the source. Its fields are read with the functions of this file, because sources differ in what they send. */
export type SourceRow = Record<string, unknown>

/** Returns a text, or `undefined` when the row has none. */
export function textOf(row: SourceRow, field: string): string | undefined {
  const value = row[field]
  return typeof value === 'string' ? value : undefined
}

export function numberOf(row: SourceRow, field: string): number | undefined {
  const value = row[field]
  return typeof value === 'number' ? value : undefined
}

/** Returns the row that a field contains, or `undefined`. */
export function rowOf(row: SourceRow, field: string): SourceRow | undefined {
  const value = row[field]
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as SourceRow) : undefined // checked
}

/** Returns the rows of a list, or none. */
export function rowsOf(row: SourceRow, field: string): SourceRow[] {
  const value = row[field]
  return Array.isArray(value) ? value.filter((item) => typeof item === 'object' && item !== null) : []
}

/** Returns the texts of a list, or none. */
export function textsOf(row: SourceRow, field: string): string[] {
  const value = row[field]
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}

/** Returns the fields that the row has. */
export function pick(row: SourceRow, fields: readonly string[]): SourceRow {
  return Object.fromEntries(fields.flatMap((field) => (row[field] === undefined ? [] : [[field, row[field]]])))
}

/** Returns the fields whose values differ from those of another object. */
export function differing(wanted: SourceRow, actual: object): SourceRow {
  const known = actual as SourceRow // fields are compared by name
  return Object.fromEntries(
    Object.entries(wanted).filter(([field, value]) => JSON.stringify(value) !== JSON.stringify(known[field])),
  )
}
