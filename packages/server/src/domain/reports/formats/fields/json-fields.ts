import type { JsonObject } from '../report.ts'

// Readers of fields in untyped JSON. A value of an unexpected type counts as absent.

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const objectOf = (value: unknown): JsonObject | undefined => (isObject(value) ? value : undefined)

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

export const objectsOf = (value: unknown): JsonObject[] => listOf(value).filter(isObject)

/** Returns a string that is not blank. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined

/** Maps a word of the tool's scale to a grade, ignoring case. */
export const gradeOn = <Grade>(scale: ReadonlyMap<string, Grade>, word: unknown): Grade | undefined =>
  typeof word === 'string' ? scale.get(word.trim().toLowerCase()) : undefined

/** Returns the texts of a text or a list. */
export const textsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).flatMap((entry: unknown) => textOf(entry) ?? [])
