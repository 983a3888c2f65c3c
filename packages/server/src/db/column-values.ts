import type { ColumnValues, RecordColumns } from './db.ts'

/** Maximum number of rows of `Dialect.boundRows`. */
export const maxBoundRows = 50

/** Returns the values of an object in the order of the columns. */
export const columnValues = (row: object, columns: RecordColumns): ColumnValues =>
  Object.entries(columns).map(([name, type]) => {
    // Fields of any object can be read by name.
    const value = (row as Record<string, unknown>)[name] ?? null
    const isJson = type === 'json' && value !== null
    return isJson ? JSON.stringify(value) : (value as ColumnValues[number]) // of the column's type
  })
