import type { Keywords } from './input.ts'
import { emptyParams, isReceivedFile, wellFormed } from './raw-params.ts'

/** Converts a raw value to its declared type, or returns a symbol whose description is the problem. */
export type Coercion = (raw: unknown) => unknown

export const isInvalid = Symbol('is invalid')
const isNotListed = Symbol('does not have a valid value')
const isForbidden = Symbol('has a value not allowed')
const isNoFilePath = Symbol('should be a valid file path')

/** Returns the coercion of a parameter. It receives blank and null only where they are valid values. */
export function coercion(name: string, keywords: Keywords): Coercion {
  return restrict(keywords, unrestricted(name, keywords))
}

export function isBlank(raw: unknown): boolean {
  return typeof raw === 'string' && raw.trim() === ''
}

function unrestricted(name: string, keywords: Keywords): Coercion {
  refuseUnknown(name, keywords)
  const { type, format } = keywords
  if (keywords.anyOf) return toFirst(keywords.anyOf.map((choice) => unrestricted(name, choice)))
  if (keywords.enum) return toListed(keywords.enum)
  if (type === 'integer') return toInteger
  if (type === 'number') return toNumber
  if (type === 'boolean') return toBoolean
  if (type === 'object') return toObject
  if (type === 'array' && keywords.items) return toList(unrestricted(name, keywords.items), keywords)
  if (type === 'string') {
    if (keywords.filePath) return toFilePath
    if (format === undefined) return toText
    if (format === 'uuid') return toUuid
    if (format === 'date') return toDate
    if (format === 'date-time') return toDateTime
    if (format === 'binary') return keywords.blankable ? toBlankableFile : toFile
  }
  throw new Error(`input parameter ${name} has a schema without a coercion: ${JSON.stringify(keywords)}`)
}

const ignoredAssertions = [
  'pattern',
  'minLength',
  'maxLength',
  'multipleOf',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minItems',
  'maxItems',
  'uniqueItems',
  'properties',
]

/** Throws at startup for keywords that would appear to be enforced but are not. */
function refuseUnknown(name: string, keywords: Keywords): void {
  const ignored = ignoredAssertions.find((keyword) => keyword in keywords)
  if (ignored) throw new Error(`input parameter ${name}: ${ignored} is not enforced here; check it in the domain`)
}

function restrict(keywords: Keywords, coerce: Coercion): Coercion {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY, forbidden } = keywords
  if (!forbidden && keywords.minimum === undefined && keywords.maximum === undefined) return coerce
  return (raw) => {
    const value = coerce(raw)
    if (forbidden?.includes(value)) return isForbidden
    return typeof value === 'number' && (value < minimum || value > maximum) ? isNotListed : value
  }
}

function toInteger(raw: unknown): unknown {
  const value = typeof raw === 'string' ? parseDecimal(raw, /^[+-]?\d+$/) : raw
  return Number.isSafeInteger(value) ? Number(value) + 0 : isInvalid
}

function toNumber(raw: unknown): unknown {
  const value = typeof raw === 'string' ? parseDecimal(raw, /^[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$/) : raw
  return Number.isFinite(value) ? Number(value) + 0 : isInvalid
}

/** Parses decimal digits only; `Number` alone would also accept `0x10`, `1e3` and `Infinity`. */
function parseDecimal(raw: string, form: RegExp): number {
  const trimmed = raw.trim()
  return form.test(trimmed) ? Number(trimmed) : Number.NaN
}

const words = new Map<unknown, boolean>([
  ...['true', 't', 'yes', 'y', 'on', '1', 1, true].map((word) => [word, true] as const),
  ...['false', 'f', 'no', 'n', 'off', '0', 0, false].map((word) => [word, false] as const),
])

export function toBoolean(raw: unknown): unknown {
  return words.get(typeof raw === 'string' ? raw.trim().toLowerCase() : raw) ?? isInvalid
}

function toText(raw: unknown): unknown {
  // PostgreSQL cannot store NUL characters in text.
  if (typeof raw === 'string') return raw.includes('\0') ? isInvalid : wellFormed(raw)
  return typeof raw === 'boolean' || Number.isFinite(raw) ? String(raw) : isInvalid
}

/** Applies the rule of GitLab's path validator to the name and to its percent-decoded form. */
function toFilePath(raw: unknown): unknown {
  const value = toText(raw)
  if (typeof value !== 'string') return value
  const decoded = decodeOnce(value)
  const climbs = [value, decoded].some(
    (path) => path.startsWith('/') || path.includes('\n') || path.split(/[/\\]/).some((part) => part === '..'),
  )
  return climbs || decoded === '.' || decodeOnce(decoded) !== decoded ? isNoFilePath : value
}

function decodeOnce(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

function toListed(values: readonly unknown[]): Coercion {
  const listed = new Set(values)
  const coerce = values.every((value) => typeof value === 'number') ? toInteger : toText
  return (raw) => {
    const value = coerce(raw)
    return typeof value === 'symbol' || listed.has(value) ? value : isNotListed
  }
}

/** Applies the first choice that accepts the value. */
function toFirst(choices: readonly Coercion[]): Coercion {
  return (raw) => {
    for (const coerce of choices) {
      const value = coerce(raw)
      if (typeof value !== 'symbol') return value
    }
    return isInvalid
  }
}

function toList(coerce: Coercion, { items, commaSeparated }: Keywords): Coercion {
  const keepsBlanks = items?.type === 'string' && !items.enum
  return (raw) => {
    if (raw === '') return []
    const list: unknown[] = []
    for (const element of Array.isArray(raw) ? raw : [raw]) {
      for (const part of commaSeparated && typeof element === 'string' ? splitCommas(element) : [element]) {
        if (part === null || (!keepsBlanks && isBlank(part))) continue
        const value = coerce(part)
        if (typeof value === 'symbol') return value
        list.push(value)
      }
    }
    return list
  }
}

/** Splits as Ruby does: drops blank elements at the end, so `,` is an empty list and `a,,b` has three elements. */
function splitCommas(element: string): string[] {
  const parts = element.split(',')
  while (parts.at(-1) === '') parts.pop()
  return parts.map((part) => part.trim())
}

/** Maximum nesting depth, equal to that of a JSON body. */
const maxDepth = 100

function toObject(raw: unknown): unknown {
  return typeof raw === 'object' && !Array.isArray(raw) ? cleanCopy(raw, 1) : isInvalid
}

function cleanCopy(raw: unknown, depth: number): unknown {
  if (typeof raw === 'string') return toText(raw)
  if (raw === null || typeof raw === 'boolean' || Number.isFinite(raw)) return raw
  if (typeof raw !== 'object' || isReceivedFile(raw) || depth > maxDepth) return isInvalid
  if (Array.isArray(raw)) {
    const list: unknown[] = []
    for (const element of raw) {
      const value = cleanCopy(element, depth + 1)
      if (typeof value === 'symbol') return value
      list.push(value)
    }
    return list
  }
  const params = emptyParams()
  for (const [key, element] of Object.entries(raw)) {
    const name = toText(key)
    const value = cleanCopy(element, depth + 1)
    if (typeof name !== 'string' || typeof value === 'symbol') return isInvalid
    params[name] = value
  }
  return params
}

function toFile(raw: unknown): unknown {
  return isReceivedFile(raw) ? raw : isInvalid
}

function toBlankableFile(raw: unknown): unknown {
  return isBlank(raw) ? '' : toFile(raw)
}

function toUuid(raw: unknown): unknown {
  const value = typeof raw === 'string' ? raw.trim().toLowerCase() : ''
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value) ? value : isInvalid
}

function toDate(raw: unknown): unknown {
  if (typeof raw !== 'string') return isInvalid
  const day = raw.trim()
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day)
  return parts && dayStart(parts) !== undefined ? day : isInvalid
}

const isoTime =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,12}))?)?(?:(Z)|([+-])(\d{2}):?(\d{2})?)?)?$/i

/** Parses a time: UTC if it has no zone, midnight if it is only a date, truncated to milliseconds. */
function toDateTime(raw: unknown): unknown {
  if (typeof raw !== 'string') return isInvalid
  const parts = isoTime.exec(raw.trim())
  const day = parts && dayStart(parts)
  if (!parts || day === undefined || day === null) return isInvalid
  const [hour, minute, second] = [Number(parts[4] ?? 0), Number(parts[5] ?? 0), Number(parts[6] ?? 0)]
  const [zoneHour, zoneMinute] = [Number(parts[10] ?? 0), Number(parts[11] ?? 0)]
  if (hour > 23 || minute > 59 || second > 59 || zoneHour > 23 || zoneMinute > 59) return isInvalid
  const milliseconds = Number((parts[7] ?? '').slice(0, 3).padEnd(3, '0'))
  const east = (zoneHour * 60 + zoneMinute) * (parts[9] === '-' ? -1 : 1)
  const time = new Date(day + ((hour * 60 + minute - east) * 60 + second) * 1000 + milliseconds)
  // A zone may push the first or last day of the calendar out of four-digit years.
  return time.getUTCFullYear() < 1 || time.getUTCFullYear() > 9999 ? isInvalid : time.toISOString()
}

/** Returns the start of a day in milliseconds, or `undefined` when the date does not exist. */
function dayStart([, year, month, day]: RegExpExecArray): number | undefined {
  const start = new Date(0)
  start.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  const exists = Number(year) > 0 && start.getUTCMonth() === Number(month) - 1 && start.getUTCDate() === Number(day)
  return exists ? start.getTime() : undefined
}
