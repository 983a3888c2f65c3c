import { type Static, type TObject, type TSchema, type TUnsafe, Type } from 'typebox'
import { parameterProblem } from '../../platform/failure.ts'
import type { ReceivedFile } from '../../platform/objects/objects.ts'
import { type Bag, emptyBag, isReceivedFile, wellFormed } from './bag.ts'

/**
 * A route's input is a `Type.Object` of the parameters below: JSON Schema plus a few keywords of our own, which say what
 * GitLab's Grape validators say.
 *
 *     Type.Object(
 *       { user_id: optional(integer()), username: optional(text()), sort: oneOf(['asc', 'desc'], { default: 'desc' }) },
 *       { exclusive: [['user_id', 'username']], atLeastOneOf: [['user_id', 'username']] },
 *     )
 *
 * On the object: `exclusive`, `atLeastOneOf`, `exactlyOneOf`, `allOrNone`, each a list of groups of names.
 */
interface Keywords {
  type?: string
  description?: string
  default?: unknown
  enum?: readonly unknown[]
  items?: Keywords
  anyOf?: readonly Keywords[]
  format?: string
  minimum?: number
  maximum?: number
  /** False: a blank value is `x is empty`. */
  allowBlank?: boolean
  /** Values that are `x has a value not allowed`. */
  forbidden?: readonly unknown[]
  /** Every element of the list is split at its commas. */
  commaSeparated?: boolean
  /** A blank value counts as given and stays `''`. */
  blankable?: boolean
  /** The text names a file; anything that climbs out of a folder is refused. */
  filePath?: boolean
}

interface Wording<T> {
  description?: string
  /** The value when the parameter is absent; it makes the parameter optional for clients and certain for the handler. */
  default?: T
}
interface NumberWording extends Wording<number> {
  /** Outside these bounds: `x does not have a valid value`. */
  minimum?: number
  maximum?: number
  forbidden?: readonly number[]
}
interface TextWording extends Wording<string> {
  allowBlank?: boolean
}
interface ListWording<T> extends Wording<readonly T[]> {
  allowBlank?: boolean
  commaSeparated?: boolean
}

/** A safe integer, from a JSON number or decimal digits. */
export const integer = (wording: NumberWording = {}) => parameter<number>({ type: 'integer', ...wording })
export const number = (wording: NumberWording = {}) => parameter<number>({ type: 'number', ...wording })
export const flag = (wording: Wording<boolean> = {}) => parameter<boolean>({ type: 'boolean', ...wording })
export const text = (wording: TextWording = {}) => parameter<string>({ type: 'string', ...wording })
/** A file name in a path: `filename should be a valid file path` when it is none. */
export const filePath = (wording: Wording<string> = {}) =>
  parameter<string>({ type: 'string', filePath: true, ...wording })
/** `YYYY-MM-DD`, a day that exists. */
export const date = (wording: Wording<string> = {}) => parameter<string>({ type: 'string', format: 'date', ...wording })
/** ISO 8601 in; UTC with milliseconds in the handler. */
export const dateTime = (wording: Wording<string> = {}) =>
  parameter<string>({ type: 'string', format: 'date-time', ...wording })
/** In lower case. */
export const uuid = (wording: Wording<string> = {}) => parameter<string>({ type: 'string', format: 'uuid', ...wording })
export const oneOf = <const T extends string | number>(values: readonly T[], wording: Wording<NoInfer<T>> = {}) =>
  parameter<T>({ ...enumeration(values), ...wording })

/** A comma list keeps blanks between and before its commas, as GitLab does; whoever means names drops them. */
export const textList = (wording: ListWording<string> = {}) =>
  parameter<string[]>({ type: 'array', items: { type: 'string' }, ...wording })
export const integerList = (wording: ListWording<number> = {}) =>
  parameter<number[]>({ type: 'array', items: { type: 'integer' }, ...wording })
export const listOf = <const T extends string | number>(values: readonly T[], wording: ListWording<NoInfer<T>> = {}) =>
  parameter<T[]>({ type: 'array', items: enumeration(values), ...wording })

/** An object whose names nobody declared. */
export const freeForm = (wording: Wording<Bag> = {}) => parameter<Bag>({ type: 'object', ...wording })

const binary = { type: 'string', format: 'binary' }
export const filePart = parameter<ReceivedFile>(binary)
/** `''`: the client sent the parameter blank (or null), which removes what is there. */
export const blankableFile = parameter<ReceivedFile | ''>({ ...binary, blankable: true })

export const optional: typeof Type.Optional = Type.Optional

/** Null stays null; so does a blank value where blank is no value of the type, because forms cannot say null. */
export function nullable<S extends TSchema>(schema: S): TUnsafe<Static<S> | null> {
  const { default: fallback } = schema as Keywords
  return parameter({ anyOf: [schema, { type: 'null' }], ...(fallback !== undefined && { default: fallback }) })
}

function parameter<T>(keywords: Keywords): TUnsafe<T> {
  const schema = Type.Unsafe<T>(keywords)
  return keywords.default === undefined ? schema : Type.Optional(schema)
}

function enumeration(values: readonly (string | number)[]): Keywords {
  return { type: values.every((value) => typeof value === 'number') ? 'integer' : 'string', enum: values }
}

/**
 * Reads declared parameters out of a bag, in GitLab's types, and drops the rest. Every parameter reports at most one
 * problem; all problems go into one `parameterProblem`, parameters in the order of declaration, then groups.
 */
export function compileInput<S extends TObject>(schema: S): (bag: Bag) => Static<S> {
  const fields = fieldsOf(schema)
  const rules = rulesOf(schema)
  return (bag) => {
    const input: Record<string, unknown> = {}
    let problems: string[] | undefined
    for (const field of fields) {
      const value = readField(field, bag[field.name])
      if (typeof value === 'symbol') {
        problems ??= []
        problems.push(`${field.name} ${value.description}`)
      } else if (value !== undefined) {
        input[field.name] = value
      }
    }
    for (const rule of rules) {
      const problem = rule(bag)
      if (problem !== undefined) {
        problems ??= []
        problems.push(problem)
      }
    }
    if (problems) throw parameterProblem(problems.join(', '))
    return input as Static<S>
  }
}

/** The parameters that take a file; a part with any other name need not be stored. */
export function filePartNames(schema: TObject): string[] {
  return Object.entries(schema.properties)
    .filter(([, declared]) => valueKeywords(declared as Keywords).format === binary.format)
    .map(([name]) => name)
}

interface Field {
  name: string
  required: boolean
  nullable: boolean
  fallback: unknown
  allowBlank: boolean
  /** Blank is a value (text), or the coercion decides about it; otherwise blank counts as absent. */
  keepsBlank: boolean
  /** Null means what blank means, even where the parameter is optional. */
  nullIsBlank: boolean
  coerce: Coercion
}

/** The value in its type, or one of the problems below. */
type Coercion = (raw: unknown) => unknown

const isMissing = Symbol('is missing')
const isInvalid = Symbol('is invalid')
const isEmpty = Symbol('is empty')
const isNotListed = Symbol('does not have a valid value')
const isForbidden = Symbol('has a value not allowed')
const isNoFilePath = Symbol('should be a valid file path')

function readField(field: Field, raw: unknown): unknown {
  if (raw === undefined) return absent(field)
  if (raw === null) {
    if (field.nullable) return null
    if (!field.required && !field.nullIsBlank) return absent(field)
    return readField(field, '')
  }
  if (isBlank(raw)) {
    if (!field.allowBlank) return isEmpty
    if (!field.keepsBlank) return blank(field)
  } else if (!field.allowBlank && Array.isArray(raw) && raw.length === 0) {
    return isEmpty
  }
  return field.coerce(raw)
}

function absent(field: Field): unknown {
  if (field.fallback === undefined) return field.required ? isMissing : undefined
  return Array.isArray(field.fallback) ? [...field.fallback] : field.fallback
}

function blank(field: Field): unknown {
  if (field.nullable) return null
  return field.required ? isInvalid : absent(field)
}

function fieldsOf(schema: TObject): Field[] {
  const required: readonly string[] = schema.required ?? []
  return Object.entries(schema.properties).map(([name, declared]) => {
    const outer = declared as Keywords
    const keywords = valueKeywords(outer)
    const fallback = outer.default
    return {
      name,
      required: required.includes(name) && fallback === undefined,
      nullable: outer.anyOf?.some((choice) => choice.type === 'null') === true,
      fallback,
      allowBlank: keywords.allowBlank !== false,
      keepsBlank: keepsBlank(keywords),
      nullIsBlank: keywords.blankable === true,
      coerce: restrict(keywords, coercion(name, keywords)),
    }
  })
}

/** What a value must be when it is not null. */
function valueKeywords(declared: Keywords): Keywords {
  const choices = declared.anyOf?.filter((choice) => choice.type !== 'null')
  const only = choices?.length === 1 ? choices[0] : undefined
  return only ?? (choices ? { anyOf: choices } : declared)
}

const blankFormats = new Set([undefined, 'binary'])

function keepsBlank({ type, format, anyOf }: Keywords): boolean {
  return type === 'array' || (type === 'string' && blankFormats.has(format)) || anyOf?.some(keepsBlank) === true
}

function coercion(name: string, keywords: Keywords): Coercion {
  refuseUnknown(name, keywords)
  const { type, format } = keywords
  if (keywords.anyOf) return toFirst(keywords.anyOf.map((choice) => coercion(name, choice)))
  if (keywords.enum) return toListed(keywords.enum)
  if (type === 'integer') return toInteger
  if (type === 'number') return toNumber
  if (type === 'boolean') return toBoolean
  if (type === 'object') return toBag
  if (type === 'array' && keywords.items) return toList(coercion(name, keywords.items), keywords)
  if (type === 'string') {
    if (keywords.filePath) return toFilePath
    if (format === undefined) return toText
    if (format === 'uuid') return toUuid
    if (format === 'date') return toDate
    if (format === 'date-time') return toDateTime
    if (format === 'binary') return keywords.blankable ? toBlankableFile : toFile
  }
  throw new Error(`input parameter ${name} has a schema nobody can coerce: ${JSON.stringify(keywords)}`)
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

/** Better no start than a rule that looks as if it were enforced. */
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

type Rule = (bag: Bag) => string | undefined

/** A name counts as given when the client sent it, blank and null included. */
function rulesOf(schema: TObject): Rule[] {
  const keywords = schema as unknown as Record<string, readonly (readonly string[])[] | undefined>
  const rules = (keyword: string, check: (names: readonly string[], given: string[]) => string | undefined): Rule[] =>
    (keywords[keyword] ?? []).map((names) => {
      const unknown = names.find((name) => !Object.hasOwn(schema.properties, name))
      if (unknown !== undefined) throw new Error(`${keyword} names ${unknown}, which is not a parameter`)
      return (bag) =>
        check(
          names,
          names.filter((name) => bag[name] !== undefined),
        )
    })
  return [
    ...rules('exclusive', (_, given) => (given.length > 1 ? exclusion(given) : undefined)),
    ...rules('atLeastOneOf', (names, given) =>
      given.length === 0 ? `${names.join(', ')} are missing, at least one parameter must be provided` : undefined,
    ),
    ...rules('exactlyOneOf', (names, given) => {
      if (given.length === 0) return `${names.join(', ')} are missing, exactly one parameter must be provided`
      return given.length > 1 ? exclusion(given) : undefined
    }),
    ...rules('allOrNone', (names, given) =>
      given.length > 0 && given.length < names.length
        ? `${names.join(', ')} provide all or none of parameters`
        : undefined,
    ),
  ]
}

const exclusion = (names: readonly string[]) => `${names.join(', ')} are mutually exclusive`

function isBlank(raw: unknown): boolean {
  return typeof raw === 'string' && raw.trim() === ''
}

function toInteger(raw: unknown): unknown {
  const value = typeof raw === 'string' ? parseDecimal(raw, /^[+-]?\d+$/) : raw
  return Number.isSafeInteger(value) ? Number(value) + 0 : isInvalid
}

function toNumber(raw: unknown): unknown {
  const value = typeof raw === 'string' ? parseDecimal(raw, /^[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$/) : raw
  return Number.isFinite(value) ? Number(value) + 0 : isInvalid
}

/** `Number` alone would also read `0x10`, `1e3` and `Infinity`. */
function parseDecimal(raw: string, form: RegExp): number {
  const trimmed = raw.trim()
  return form.test(trimmed) ? Number(trimmed) : Number.NaN
}

const words = new Map<unknown, boolean>([
  ...['true', 't', 'yes', 'y', 'on', '1', 1, true].map((word) => [word, true] as const),
  ...['false', 'f', 'no', 'n', 'off', '0', 0, false].map((word) => [word, false] as const),
])

function toBoolean(raw: unknown): unknown {
  return words.get(typeof raw === 'string' ? raw.trim().toLowerCase() : raw) ?? isInvalid
}

function toText(raw: unknown): unknown {
  // No database column takes a NUL, and no honest client sends one.
  if (typeof raw === 'string') return raw.includes('\0') ? isInvalid : wellFormed(raw)
  return typeof raw === 'boolean' || Number.isFinite(raw) ? String(raw) : isInvalid
}

/** The rule of GitLab's path validator, applied to the name as it is and to its percent-decoded form. */
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

/** The first choice that takes the value. */
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

/** As Ruby splits: blanks at the end are no elements, so `,` is an empty list and `a,,b` has three. */
function splitCommas(element: string): string[] {
  const parts = element.split(',')
  while (parts.at(-1) === '') parts.pop()
  return parts.map((part) => part.trim())
}

/** As deep as a JSON body may be. */
const maxDepth = 100

function toBag(raw: unknown): unknown {
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
  const bag = emptyBag()
  for (const [key, element] of Object.entries(raw)) {
    const name = toText(key)
    const value = cleanCopy(element, depth + 1)
    if (typeof name !== 'string' || typeof value === 'symbol') return isInvalid
    bag[name] = value
  }
  return bag
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

/** A time without a zone is UTC, a day without a time its first moment; digits below milliseconds are cut off. */
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

/** Milliseconds of a day's start, or `undefined` for a day that no calendar has. */
function dayStart([, year, month, day]: RegExpExecArray): number | undefined {
  const start = new Date(0)
  start.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  const exists = Number(year) > 0 && start.getUTCMonth() === Number(month) - 1 && start.getUTCDate() === Number(day)
  return exists ? start.getTime() : undefined
}
