/** An object from `JSON.parse`. */
export type Fields = { readonly [key: string]: unknown }

// Readers of fields in untyped JSON. A value of an unexpected type counts as absent.

export const fieldsOf = (value: unknown): Fields =>
  // A cast, because TypeScript does not narrow an object to its keys.
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}

export const entriesOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : [])

export const stringOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined

export const stringsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.flatMap((one) => stringOf(one) ?? []) : []

/** Returns a time as ISO 8601 in UTC, or undefined if it is invalid. */
export function timeOf(...values: readonly unknown[]): string | undefined {
  for (const value of values) {
    const time = typeof value === 'string' ? new Date(value) : undefined
    if (time && !Number.isNaN(time.getTime())) return time.toISOString()
  }
  return undefined
}
