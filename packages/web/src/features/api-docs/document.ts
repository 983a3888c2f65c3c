import { texts } from './texts.ts'
/** Schema with the subset of OpenAPI 3.1 that the server uses. */
export interface Schema {
  $ref?: string
  type?: string | readonly string[]
  format?: string
  description?: string
  default?: unknown
  enum?: readonly unknown[]
  items?: Schema
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  anyOf?: readonly Schema[]
  minimum?: number
  maximum?: number
}

interface Parameter {
  name: string
  in: 'path' | 'query'
  required?: boolean
  schema: Schema
}

interface Content {
  content?: Readonly<Record<string, { schema: Schema }>>
}

export interface Response extends Content {
  $ref?: string
  description?: string
}

interface Described {
  operationId: string
  summary: string
  description: string
  tags: readonly string[]
  parameters: readonly Parameter[]
  requestBody?: Content
  responses: Readonly<Record<string, Response>>
  /** Absent: no authentication required. */
  security?: readonly object[]
}

export interface ApiDocument {
  info: { version: string; description: string }
  paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  components: { schemas: Readonly<Record<string, Schema>>; responses: Readonly<Record<string, Response>> }
}

export interface ApiOperation extends Described {
  method: string
  /** Path template with parameters such as `{name}`. */
  path: string
  tag: string
}

/** Lists the operations in document order. */
export function operationsOf({ paths }: ApiDocument): ApiOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      ...described,
      method: method.toUpperCase(),
      path,
      tag: described.tags[0] ?? 'server',
    })),
  )
}

/** Returns the operations that contain every search word. */
export function searchOperations(operations: readonly ApiOperation[], search: string): ApiOperation[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  return operations.filter(({ method, path, summary, description, tag }) => {
    const text = `${method} ${path} ${summary} ${description} ${tag}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

export function groupByTag(operations: readonly ApiOperation[]): [tag: string, operations: ApiOperation[]][] {
  const groups = new Map<string, ApiOperation[]>()
  for (const operation of operations) groups.set(operation.tag, [...(groups.get(operation.tag) ?? []), operation])
  return [...groups].sort(([a], [b]) => a.localeCompare(b))
}

/** Resolves a reference to its schema and name. */
export function resolveSchema(document: ApiDocument, schema: Schema): { schema: Schema; name?: string } {
  const name = schema.$ref?.split('/').at(-1)
  const found = name === undefined ? undefined : document.components.schemas[name]
  return found && name !== undefined ? { schema: found, name } : { schema }
}

export function resolveResponse(document: ApiDocument, response: Response): Response {
  return document.components.responses[response.$ref?.split('/').at(-1) ?? ''] ?? response
}

export function schemaOf({ content }: Content): Schema | undefined {
  return Object.values(content ?? {})[0]?.schema
}

export const isFile = ({ format }: Schema) => format === 'binary'

/** Splits a nullable schema, such as `{ anyOf: [x, null] }`, into x and `isNullable`. */
export function withoutNull(schema: Schema): { schema: Schema; isNullable: boolean } {
  const { anyOf, type, ...rest } = schema
  if (anyOf) {
    const others = anyOf.filter((one) => one.type !== 'null')
    const [only] = others
    if (others.length === 1 && only) return { schema: { ...rest, ...only }, isNullable: others.length < anyOf.length }
    return { schema, isNullable: others.length < anyOf.length }
  }
  if (typeof type === 'object') {
    const [only, ...more] = type.filter((one) => one !== 'null')
    if (only && more.length === 0) return { schema: { ...schema, type: only }, isNullable: type.length > 1 }
  }
  return { schema, isNullable: false }
}

/** Describes the type of a schema: `list of integer`, `string or null`, or the name of a component. */
export function typeInWords(document: ApiDocument, given: Schema): string {
  const { schema, isNullable } = withoutNull(given)
  return `${plainType(document, schema)}${isNullable ? texts.orNull : ''}`
}

const formats: Record<string, string> = { binary: 'file', 'date-time': texts.dateAndTime, date: 'date', uri: 'URL' }

function plainType(document: ApiDocument, schema: Schema): string {
  const { name } = resolveSchema(document, schema)
  if (name) return name
  if (schema.anyOf) return schema.anyOf.map((one) => typeInWords(document, one)).join(' or ')
  if (schema.type === 'array') return texts.listOf(schema.items ? typeInWords(document, schema.items) : texts.anything)
  const named = schema.format && formats[schema.format]
  if (named) return named
  if (typeof schema.type === 'object') return schema.type.join(' or ')
  return schema.type ?? 'anything'
}
