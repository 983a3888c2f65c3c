import {
  type ApiDocument,
  type ApiOperation,
  isFile,
  resolveSchema,
  type Schema,
  schemaOf,
  withoutNull,
} from './document.ts'
import { texts } from './texts.ts'

type Kind = 'text' | 'number' | 'flag' | 'choice' | 'list' | 'file' | 'json'

/** Parameter of a request. */
export interface Field {
  /** Unique key within the form. */
  key: string
  name: string
  place: 'path' | 'query' | 'body'
  kind: Kind
  schema: Schema
  isRequired: boolean
  isNullable: boolean
}

/** Value of a field: undefined is not sent, '' is sent as an empty string. */
export type Value = string | File | null | undefined
/** Values by field key. */
export type Values = Readonly<Record<string, Value>>

export function fieldsOf(document: ApiDocument, operation: ApiOperation): Field[] {
  const body = operation.requestBody && schemaOf(operation.requestBody)
  const inBody = body ? Object.entries(resolveSchema(document, body).schema.properties ?? {}) : []
  const names = new Set(inBody.map(([name]) => name))
  return [
    ...operation.parameters
      // A parameter that the body accepts needs no second field for the query.
      .filter((parameter) => parameter.in === 'path' || !names.has(bare(parameter.name)))
      .map((parameter) => fieldOf(parameter.in, bare(parameter.name), parameter.schema, parameter.required === true)),
    ...inBody.map(([name, schema]) => fieldOf('body', name, schema, body?.required?.includes(name) === true)),
  ]
}

/** Returns the values that a blank field may send instead of being omitted. Forms with files can send no empty list or null. */
export function blanksOf(field: Field, fields: readonly Field[]): readonly ('' | null)[] {
  if (field.place !== 'body') return []
  const isForm = needsForm(fields, {})
  return [
    ...(field.kind === 'text' || (field.kind === 'list' && !isForm) ? ['' as const] : []),
    ...(field.isNullable && !isForm ? [null] : []),
  ]
}

/** A file is sent as part of a form. Without one, the body is JSON unless the file is required. */
function needsForm(fields: readonly Field[], values: Values): boolean {
  return fields.some(
    ({ kind, place, isRequired, key }) =>
      kind === 'file' && place === 'body' && (isRequired || values[key] instanceof File),
  )
}

const bare = (name: string) => name.replace(/\[\]$/, '')

function fieldOf(place: Field['place'], name: string, given: Schema, isRequired: boolean): Field {
  const { schema, isNullable } = withoutNull(given)
  return {
    key: `${place} ${name}`,
    name,
    place,
    kind: kindOf(schema),
    schema: { ...given, ...schema },
    isRequired: isRequired || place === 'path',
    isNullable,
  }
}

function kindOf(schema: Schema): Kind {
  if (isFile(schema)) return 'file'
  if (schema.enum) return 'choice'
  if (schema.type === 'boolean') return 'flag'
  if (schema.type === 'integer' || schema.type === 'number') return 'number'
  if (schema.type === 'array') return schema.items?.type === 'object' || schema.items?.$ref ? 'json' : 'list'
  return schema.type === 'object' || schema.$ref ? 'json' : 'text'
}

export interface Prepared {
  method: string
  address: string
  /** Form fields if the request contains files, otherwise JSON. */
  body?: { form: readonly [name: string, value: string | File][] } | { json: Readonly<Record<string, unknown>> }
  /** Values by field key. */
  problems: Readonly<Record<string, string>>
}

/** Builds a request from the fields. Missing values become placeholders, so that the example is readable. */
export function prepare({ method, path }: ApiOperation, fields: readonly Field[], values: Values): Prepared {
  const problems: Record<string, string> = {}
  const query: string[] = []
  const json: Record<string, unknown> = {}
  const form: [string, string | File][] = []
  let address = path
  const isForm = needsForm(fields, values)
  for (const field of fields) {
    const { key, name, place, kind, isRequired } = field
    const value = values[key]
    const isBlank = value === undefined || (value === '' && place === 'path')
    if (isBlank && isRequired) problems[key] = texts.isRequired
    else if (isForm && (value === null || (value === '' && kind === 'list'))) {
      problems[key] = texts.cannotBeEmptyInARequest
    }
    if (place === 'path') {
      address = address.replace(`{${name}}`, isBlank ? `:${name}` : encodeURIComponent(String(value)))
      continue
    }
    if (isBlank && !isRequired) continue
    const sentValue = isBlank ? placeholderOf(field) : readValue(kind, value, (problem) => (problems[key] = problem))
    if (place === 'query')
      query.push(...pairsOf(name, sentValue).map(([one, text]) => `${one}=${encodeURIComponent(text)}`))
    else {
      json[name] = sentValue
      if (sentValue instanceof File) form.push([name, sentValue])
      else form.push(...pairsOf(name, sentValue))
    }
  }
  const hasBody = fields.some(({ place }) => place === 'body')
  return {
    method,
    address: query.length > 0 ? `${address}?${query.join('&')}` : address,
    ...(hasBody && { body: isForm ? { form } : { json } }),
    problems,
  }
}

function readValue(kind: Kind, value: Exclude<Value, undefined>, onProblem: (problem: string) => void): unknown {
  if (typeof value !== 'string') return value
  switch (kind) {
    case 'number':
      if (value.trim() === '' || Number.isNaN(Number(value))) onProblem(texts.mustBeANumber)
      return Number(value)
    case 'flag':
      return value === 'true'
    case 'list':
      return value
        .split(',')
        .map((part) => part.trim())
        .filter(Boolean)
    case 'json':
      try {
        return JSON.parse(value)
      } catch {
        onProblem(texts.mustBeValidJson)
        return value
      }
    default:
      return value
  }
}

function placeholderOf({ kind, name, schema }: Field): unknown {
  if (kind === 'number') return 1
  if (kind === 'file') return `@<${name}>`
  if (kind === 'flag') return true
  if (kind === 'choice') return schema.enum?.[0]
  if (kind === 'list') return [`<${name}>`]
  return kind === 'json' ? {} : `<${name}>`
}

/** Returns name and value pairs; lists become `name[]`. */
function pairsOf(name: string, value: unknown): [string, string][] {
  if (Array.isArray(value)) return value.map((one) => [`${name}[]`, textOf(one)])
  return [[name, textOf(value)]]
}

function textOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
}

/** Returns the request as a curl command. */
export function curlOf({ method, address, body }: Prepared, origin: string, needsToken: boolean): string {
  const parts = ['curl']
  if (method !== 'GET') parts.push(texts.request(method))
  if (needsToken) parts.push(texts.header(quote(texts.privateTokenYourToken)))
  if (body && 'json' in body) {
    parts.push(texts.header(quote('Content-Type: application/json')), texts.data(quote(JSON.stringify(body.json))))
  } else if (body) {
    for (const [name, value] of body.form) {
      parts.push(texts.form(quote(`${name}=${value instanceof File ? `@${value.name}` : value}`)))
    }
  }
  return [...parts, quote(`${origin}${address}`)].join(' \\\n  ')
}

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
