/** The subset of OpenAPI 3.1's JSON Schema that our document uses. */
interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  format?: string
  anyOf?: Schema[]
  allOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema | boolean
  patternProperties?: Record<string, Schema>
}

interface Parameter {
  name: string
  in: 'path' | 'query'
  required?: boolean
  schema: Schema
}

interface Operation {
  summary: string
  parameters: Parameter[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>
}

export interface OpenApi {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

/** Generates packages/client/src/operations.ts: input and response of each operation. */
export function clientTypes({ paths, components }: OpenApi): string {
  const schemas = Object.entries(components.schemas).map(([name, schema]) => `  ${name}: ${typeOf(schema)}`)
  const operations = Object.entries(paths).flatMap(([address, methods]) =>
    Object.entries(methods).map(([method, operation]) => describe(method.toUpperCase(), address, operation)),
  )
  return [
    '// Made from docs/api/openapi.json by `npm run openapi`; not to be edited.\n',
    `export interface Schemas {\n${schemas.join('\n')}\n}\n`,
    `/** By method and address; below /api/v4 the address begins after it. */`,
    `export interface Operations {\n${operations.join('\n')}\n}\n`,
  ].join('\n')
}

function describe(method: string, address: string, { summary, parameters, requestBody, responses }: Operation): string {
  const bodies = Object.values(requestBody?.content ?? {}).map(({ schema }) => schema)
  const body = bodies.find(({ properties }) => properties) ?? bodies[0]
  const place = (where: Parameter['in']) => parameters.filter((parameter) => parameter.in === where)
  const success = Object.entries(responses).find(([status]) => /^2/.test(status))?.[1]
  const parts = [
    place('path').length > 0 && `path: ${record(place('path'), () => true)}`,
    place('query').length > 0 && `query: ${record(place('query'), ({ required }) => required === true)}`,
    body && `body: ${typeOf(body)}`,
    `response: ${responseOf(success?.content)}`,
  ]
  const name = `${method} ${address.replace(/^\/api\/v4(?=\/)/, '')}`
  return `  /** ${summary} */\n  '${name}': { ${parts.filter(Boolean).join('; ')} }`
}

function responseOf(content: Record<string, { schema: Schema }> | undefined): string {
  const schema = content?.['application/json']?.schema
  // Only requests with a certain parameter get the second of two kinds of rows.
  const [usual] = schema?.anyOf?.every(({ type }) => type === 'array') ? schema.anyOf : []
  if (schema) return typeOf(usual ?? schema)
  return content === undefined ? 'undefined' : 'Blob'
}

/** Lists are named `state[]` in queries and `state` in the client. An id may be a number or a path. */
function record(parameters: Parameter[], isRequired: (parameter: Parameter) => boolean): string {
  const fields = parameters.map((parameter) => {
    const type = parameter.in === 'path' ? 'string | number' : typeOf(parameter.schema)
    return field(parameter.name.replace(/\[\]$/, ''), type, isRequired(parameter))
  })
  return `{ ${fields.join('; ')} }`
}

function typeOf(schema: Schema): string {
  if (schema.$ref) return `Schemas['${schema.$ref.split('/').at(-1)}']`
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.enum) return union(schema.enum.map(literal))
  if (schema.anyOf) return union(schema.anyOf.map(typeOf))
  if (schema.allOf) return schema.allOf.map(typeOf).join(' & ')
  if (Array.isArray(schema.type)) return union(schema.type.map((type) => typeOf({ ...schema, type })))
  switch (schema.type) {
    case 'string':
      return schema.format === 'binary' ? 'Blob' : 'string'
    case 'integer':
    case 'number':
      return 'number'
    case 'boolean':
    case 'null':
      return schema.type
    case 'array':
      return `(${schema.items ? typeOf(schema.items) : 'unknown'})[]`
    case 'object':
      return objectType(schema)
    default:
      return 'unknown'
  }
}

function objectType({ properties, required = [], additionalProperties, patternProperties }: Schema): string {
  if (properties) {
    const fields = Object.entries(properties).map(([name, schema]) =>
      field(name, typeOf(schema), required.includes(name)),
    )
    return fields.length > 0 ? `{ ${fields.join('; ')} }` : 'Record<string, never>'
  }
  const values = Object.values(patternProperties ?? {})[0] ?? additionalProperties
  return `Record<string, ${typeof values === 'object' ? typeOf(values) : 'unknown'}>`
}

function union(types: string[]): string {
  return [...new Set(types)].map((type) => (type.includes('&') ? `(${type})` : type)).join(' | ')
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value)
}

/** Allows `undefined` for optional fields. */
function field(name: string, type: string, isRequired: boolean): string {
  return isRequired ? `${key(name)}: ${type}` : `${key(name)}?: ${type} | undefined`
}

function key(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`
}
