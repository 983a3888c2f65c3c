import type { TSchema } from 'typebox'
import type { Keywords } from '../../params/input.ts'
import { plain, type Schemas } from './schemas.ts'

interface BodyOf {
  fields: [string, TSchema][]
  required: readonly string[]
  rawTypes: readonly string[] | undefined
  example: object | undefined
  /** The route reads the body itself, as JSON. */
  isJsonOnly: boolean
}

/**
 * Returns the body of a request in each form that the server accepts. A required file needs multipart; an optional one is
 * left out of the other forms. Only the first form has the example.
 */
export function requestBody(
  { fields, required, rawTypes = [], example, isJsonOnly }: BodyOf,
  schemas: Schemas,
): object {
  const files = fields.filter(([, field]) => isBinary(field))
  const rest = fields.filter(([, field]) => !isBinary(field))
  const needsFile = files.some(([name]) => required.includes(name))
  const isRequired = fields.some(([name]) => required.includes(name))
  const firstType = files.length > 0 ? 'multipart/form-data' : 'application/json'
  const typed = (type: string, described: [string, TSchema][]) => {
    const encoding = type === 'application/json' ? {} : encodingOf(described)
    const schema = objectOf(described, required, schemas)
    const ofType = { ...(Object.keys(encoding).length > 0 && { encoding }), ...(type === firstType && { example }) }
    return [type, { schema, ...ofType }]
  }
  if (isJsonOnly) return { required: true, content: Object.fromEntries([typed('application/json', fields)]) }
  return {
    ...(isRequired && { required: true }),
    content: Object.fromEntries([
      ...(files.length > 0 ? [typed('multipart/form-data', fields)] : []),
      ...(needsFile ? [] : ['application/json', 'application/x-www-form-urlencoded'].map((type) => typed(type, rest))),
      ...(files.length > 0 ? [] : [typed('multipart/form-data', fields)]),
      ...rawTypes.map((type) => [type, { schema: { type: 'string', format: 'binary' } }]),
    ]),
  }
}

export function isBinary(field: TSchema): boolean {
  const { format, items } = field as Keywords // any keyword may be absent
  return format === 'binary' || items?.format === 'binary'
}

function objectOf(fields: [string, TSchema][], required: readonly string[], schemas: Schemas): object {
  const names = fields.map(([name]) => name).filter((name) => required.includes(name))
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map(([name, field]) => [name, plain(field, schemas)])),
    ...(names.length > 0 && { required: names }),
  }
}

/** Returns how fields that are not plain values are written in a form: files, lists and objects. */
function encodingOf(fields: [string, TSchema][]): Record<string, object> {
  const encodings = fields.map(([name, field]) => [name, fieldEncoding(field as Keywords)] as const) // as in `isBinary`
  return Object.fromEntries(encodings.filter((entry): entry is [string, object] => entry[1] !== undefined))
}

function fieldEncoding(field: Keywords): object | undefined {
  const { type, format, mediaTypes = ['application/octet-stream'], commaSeparated, anyOf = [] } = field
  if (format === 'binary') return { contentType: mediaTypes.join(', ') }
  if (type === 'array') return commaSeparated ? { style: 'form', explode: false } : undefined
  // `name[key]=value`
  if (type === 'object') return { style: 'deepObject', explode: true }
  return anyOf.map(fieldEncoding).find((encoding) => encoding !== undefined)
}
