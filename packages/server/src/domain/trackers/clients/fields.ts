import { TrackerError } from './exchange.ts'

/** Reads the fields of a tracker's JSON. Throws `TrackerError` when one that is needed is missing. */
export function fieldsOf(value: unknown): {
  text(name: string): string
  optionalText(name: string): string
  /** Address of a page, which users open from here. */
  address(name: string): string
  flag(name: string): boolean | undefined
  list(name: string): unknown[]
  object(name: string): unknown
} {
  const fields = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {} // any object
  const text = (name: string): string => {
    const found = fields[name]
    if (typeof found === 'string') return storable(found)
    if (typeof found === 'number') return String(found)
    throw new TrackerError('uncertain', `the response has no field ${name}`)
  }
  return {
    text,
    optionalText(name) {
      const found = fields[name]
      return typeof found === 'string' ? storable(found) : ''
    },
    address(name) {
      const found = text(name)
      if (isWebAddress(found)) return found
      throw new TrackerError('uncertain', `the field ${name} of the response is not an http or https URL`)
    },
    flag(name) {
      const found = fields[name]
      return typeof found === 'boolean' ? found : undefined
    },
    list: (name) => listOf(fields[name]),
    object: (name) => fields[name],
  }
}

/** PostgreSQL cannot store the character NUL. */
const storable = (text: string): string => text.replaceAll('\0', '\ufffd')

const maxAddressLength = 2048

/** Any other scheme, such as `javascript:`, could run a script of the tracker in the browser. */
function isWebAddress(text: string): boolean {
  return text.length <= maxAddressLength && URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}

/** Returns the list, or throws when the value is none. */
export function listOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value
  throw new TrackerError('uncertain', 'the response is not a list')
}

/** Returns a time as ISO 8601 in UTC with milliseconds. */
export function timeOf(text: string): string {
  const at = Date.parse(text)
  if (Number.isNaN(at)) throw new TrackerError('uncertain', `the response has the wrong time ${text}`)
  return new Date(at).toISOString()
}
