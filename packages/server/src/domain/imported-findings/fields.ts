import { Failure } from '../../platform/failure.ts'
import { readTags } from '../vulnerabilities/triage/tags.ts'

export interface Problem {
  pointer: string
  message: string
}

/** Reads the fields of an object. Missing fields and nulls are undefined; invalid ones are added to the problems. */
export interface FieldReader {
  text(name: string, max: number): string | undefined
  required(name: string, max: number): string
  oneOf<const T extends string>(name: string, values: readonly T[]): T | undefined
  date(name: string): string | undefined
  time(name: string): string | undefined
  webUrl(name: string, max: number): string | undefined
  flag(name: string): boolean
  integer(name: string): number | undefined
  uuid(name: string): string | undefined
  has(name: string): boolean
  list(name: string): readonly unknown[]
  object(name: string): FieldReader
  objects(name: string, max: number): FieldReader[]
  /** An object with any fields, whose JSON text has at most this length. */
  record(name: string, max: number): { [key: string]: unknown }
  tags(name: string): string[]
}

const isObject = (value: unknown): value is { [key: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Opens an object. `pointer` is its JSON pointer. */
export function openFields(value: unknown, pointer: string, problems: Problem[]): FieldReader {
  if (!isObject(value)) problems.push({ pointer, message: 'is not an object' })
  const fields = new Map(isObject(value) ? Object.entries(value) : [])
  const at = (name: string) => `${pointer}/${name}`
  const problem = (name: string, message: string): undefined => void problems.push({ pointer: at(name), message })

  function text(name: string, max: number): string | undefined {
    const found = fields.get(name) ?? undefined
    if (found === undefined) return undefined
    if (typeof found !== 'string') return problem(name, 'is not a text')
    const clean = cleanText(found)
    if (clean.trim() === '') return undefined
    return [...clean].length > max ? problem(name, `is too long (maximum is ${max} characters)`) : clean
  }

  function list(name: string): readonly unknown[] {
    const found = fields.get(name) ?? []
    if (Array.isArray(found)) return found
    problem(name, 'is not a list')
    return []
  }

  return {
    text,
    list,
    required(name, max) {
      const found = text(name, max)
      // A text of the wrong type or length is a problem already.
      if (found === undefined && typeof (fields.get(name) ?? '') === 'string' && !isReported(problems, at(name))) {
        problem(name, 'is missing')
      }
      return found ?? ''
    },
    oneOf(name, values) {
      const found = text(name, maxWord)
      const known = values.find((value) => value === found)
      if (found !== undefined && known === undefined) problem(name, `must be one of ${values.join(', ')}`)
      return known
    },
    date(name) {
      const found = text(name, maxWord)
      if (found === undefined || isDate(found)) return found
      return problem(name, 'is not a date: YYYY-MM-DD')
    },
    time(name) {
      const found = text(name, maxWord)
      if (found === undefined) return undefined
      const time = new Date(isTime.test(found) ? found : Number.NaN)
      // A zone may push the first or last day of the calendar out of the years that databases store and texts order.
      const isStorable = time.getUTCFullYear() >= 1 && time.getUTCFullYear() <= 9999
      return isStorable ? time.toISOString() : problem(name, 'is not a time of ISO 8601')
    },
    webUrl(name, max) {
      const found = text(name, max)
      if (found === undefined) return undefined
      const url = URL.canParse(found) ? new URL(found) : undefined
      const isWeb = url && ['http:', 'https:'].includes(url.protocol) && url.username + url.password === ''
      return isWeb ? url.href : problem(name, 'is no address of http or https')
    },
    flag(name) {
      const found = fields.get(name) ?? false
      if (typeof found === 'boolean') return found
      problem(name, 'is neither true nor false')
      return false
    },
    integer(name) {
      const found = fields.get(name) ?? undefined
      if (found === undefined || (typeof found === 'number' && Number.isSafeInteger(found))) return found
      return problem(name, 'is not an integer')
    },
    uuid(name) {
      const found = text(name, maxWord)?.toLowerCase()
      if (found === undefined || isUuid.test(found)) return found
      return problem(name, 'is not a UUID')
    },
    has: (name) => (fields.get(name) ?? null) !== null,
    object: (name) => openFields(fields.get(name) ?? {}, at(name), problems),
    objects(name, max) {
      const found = list(name)
      if (found.length > max) problem(name, `has ${found.length} entries; the maximum is ${max}`)
      return found.slice(0, max).map((entry, index) => openFields(entry, `${at(name)}/${index}`, problems))
    },
    record(name, max) {
      const found = fields.get(name) ?? {}
      const written = JSON.stringify(found)
      if (!isObject(found)) problem(name, 'is not an object')
      else if (written.length > max) problem(name, `is too long (maximum is ${max} characters)`)
      else return cleanRecord(found)
      return {}
    },
    tags(name) {
      const found = list(name)
      if (!found.every((tag) => typeof tag === 'string')) {
        problem(name, 'has entries that are no texts')
        return []
      }
      try {
        return readTags(found)
      } catch (error) {
        if (!(error instanceof Failure)) throw error
        problem(name, 'has a tag that is invalid, or too many tags')
        return []
      }
    },
  }
}

const maxWord = 100
const isUuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const isTime = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}.*)?$/

const isReported = (problems: readonly Problem[], pointer: string) => problems.at(-1)?.pointer === pointer

function isDate(text: string): boolean {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  return !Number.isNaN(time) && !text.startsWith('0000') && new Date(time).toISOString().startsWith(text)
}

/** Removes what databases cannot store from the names and texts of a record. */
const cleanRecord = (record: object): { [key: string]: unknown } =>
  JSON.parse(
    JSON.stringify(record, (_, value) => {
      if (typeof value === 'string') return cleanText(value)
      if (!isObject(value)) return value
      return Object.fromEntries(Object.entries(value).map(([name, field]) => [cleanText(name), field]))
    }),
  )

const cleanText = (text: string): string => text.toWellFormed().replaceAll('\0', '')
