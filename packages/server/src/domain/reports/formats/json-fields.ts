import type { JsonObject } from './report.ts'

// Reads fields of JSON that may hold anything: what is not of the wanted type counts as absent.

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const objectOf = (value: unknown): JsonObject | undefined => (isObject(value) ? value : undefined)

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

export const objectsOf = (value: unknown): JsonObject[] => listOf(value).filter(isObject)

/** A text with something to read in it. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined

/** A word of the tool's scale, in whatever case, as one of ours. */
export const gradeOn = <Grade>(scale: ReadonlyMap<string, Grade>, word: unknown): Grade | undefined =>
  typeof word === 'string' ? scale.get(word.trim().toLowerCase()) : undefined
