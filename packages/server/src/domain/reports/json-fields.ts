import type { JsonObject } from './report.ts'

// Reads fields of JSON that may hold anything: what is not of the wanted type counts as absent.

export const objectOf = (value: unknown): JsonObject | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

export const objectsOf = (value: unknown): JsonObject[] =>
  listOf(value).filter((entry) => objectOf(entry)) as JsonObject[]

/** A text with something to read in it. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined
