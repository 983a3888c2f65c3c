import type { ReportProblem } from '../../../../platform/failure.ts'
import { isObject } from '../fields/json-fields.ts'

/** Validates a value and records the violations. Equivalent to a draft-07 JSON Schema. */
export type Check = (value: unknown, found: Found) => void

/** Violations found so far, and the path of the value being checked. */
export interface Found {
  path: (string | number)[]
  problems: ReportProblem[]
  /** Number of problems that were not kept. */
  more: number
}

/** Maximum number of problems that are kept. */
export const maxProblems = 100

export const moreProblems = (more: number): ReportProblem => ({
  type: 'Schema',
  message: `${more} more problems are not shown`,
  pointer: '',
})

/** Checks a value. `path` is its path in the document. */
export function findProblems(check: Check, value: unknown, path: readonly (string | number)[] = []): ReportProblem[] {
  const found: Found = { path: [...path], problems: [], more: 0 }
  check(value, found)
  const { problems, more } = found
  return more === 0 ? problems : [...problems, moreProblems(more)]
}

/** Records a violation by the current value, such as `is not of type: string`. */
export function note(found: Found, what: string): void {
  if (found.problems.length >= maxProblems) {
    found.more++
    return
  }
  const pointer = printPointer(found.path)
  const place = pointer === '' ? 'root' : `property '${pointer}'`
  found.problems.push({ type: 'Schema', message: `${place} ${what}`, pointer })
}

/** Checks the value under this key or index. */
export function within(found: Found, key: string | number, check: Check, value: unknown): void {
  found.path.push(key)
  check(value, found)
  found.path.pop()
}

export interface ObjectRules {
  required?: readonly string[]
  properties?: Record<string, Check>
}

export function object(rules: ObjectRules): Check {
  const properties = ifObject(rules)
  return (value, found) => (isObject(value) ? properties(value, found) : note(found, 'is not of type: object'))
}

/** Like `object`, but accepts values that are not objects. */
export function ifObject({ required = [], properties = {} }: ObjectRules): Check {
  const checks = Object.entries(properties)
  return (value, found) => {
    if (!isObject(value)) return
    const missing = required.filter((key) => !Object.hasOwn(value, key))
    if (missing.length > 0) note(found, `is missing required keys: ${missing.join(', ')}`)
    for (const [key, check] of checks) if (Object.hasOwn(value, key)) within(found, key, check, value[key])
  }
}

export function list(each: Check, { min = 0, max = Number.POSITIVE_INFINITY } = {}): Check {
  return (value, found) => {
    if (!Array.isArray(value)) return note(found, 'is not of type: array')
    if (value.length < min) note(found, 'is invalid: error_type=minItems')
    if (value.length > max) note(found, 'is invalid: error_type=maxItems')
    for (let index = 0; index < value.length; index++) within(found, index, each, value[index])
  }
}

/** Like `list`, but accepts null, which programs written in Go output for an empty list. */
export function listOrNull(each: Check = () => {}): Check {
  const check = list(each)
  return (value, found) => {
    if (value !== null) check(value, found)
  }
}

export interface Pattern {
  /** Pattern as printed in the message. */
  source: string
  test: (text: string) => boolean
}

export function text({ min = 0, max, pattern }: { min?: number; max?: number; pattern?: Pattern } = {}): Check {
  return (value, found) => {
    if (typeof value !== 'string') return note(found, 'is not of type: string')
    if (value.length < min) note(found, 'is invalid: error_type=minLength')
    if (max !== undefined && isLongerThan(value, max)) note(found, 'is invalid: error_type=maxLength')
    if (pattern && !pattern.test(value)) note(found, `does not match pattern: ${pattern.source}`)
  }
}

export function word(words: readonly string[]): Check {
  return (value, found) => {
    if (typeof value !== 'string') note(found, 'is not of type: string')
    else if (!words.includes(value)) note(found, `is not one of: ${printWords(words)}`)
  }
}

export const constant =
  (expected: string): Check =>
  (value, found) => {
    if (value !== expected) note(found, `is not: ${JSON.stringify(expected)}`)
  }

type ScalarType = 'null' | 'boolean' | 'integer' | 'number' | 'string'

export const scalar =
  (...types: ScalarType[]): Check =>
  (value, found) => {
    if (!types.some((type) => isOfType(value, type))) note(found, `is not of type: ${types.join(', ')}`)
  }

export function integer({ min }: { min?: number } = {}): Check {
  return (value, found) => {
    if (!Number.isInteger(value)) return note(found, 'is not of type: integer')
    if (min !== undefined && Number(value) < min) note(found, 'is invalid: error_type=minimum')
  }
}

/** Formats words for a message: `["info", "warn"]`. */
export const printWords = (words: readonly string[]): string =>
  `[${words.map((word) => JSON.stringify(word)).join(', ')}]`

/** Compares the length in code points, as JSON Schema counts: an emoji is one. */
export function isLongerThan(value: string, max: number): boolean {
  if (value.length <= max) return false
  if (value.length > 2 * max) return true
  let characters = 0
  for (const _ of value) characters++
  return characters > max
}

function isOfType(value: unknown, type: ScalarType): boolean {
  if (type === 'null') return value === null
  if (type === 'integer') return Number.isInteger(value)
  return typeof value === type
}

const maxPrintedKey = 200

/** Formats a JSON pointer and truncates very long keys, so that a list of problems stays readable. */
const printPointer = (path: readonly (string | number)[]): string =>
  path.map((key) => `/${printKey(String(key))}`).join('')

/** Formats a key as a step of a JSON pointer and truncates a very long one. */
export function printKey(key: string): string {
  const short = key.length > maxPrintedKey ? `${key.slice(0, maxPrintedKey).replace(/\p{Surrogate}/gu, '')}…` : key
  return short.replaceAll('~', '~0').replaceAll('/', '~1')
}
