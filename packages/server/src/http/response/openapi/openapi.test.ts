import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { apiNames } from '../../../api/v4/openapi-names.ts'
import { routes } from '../../../routes.ts'
import { addressOf, isFileOutput, redirectableFileOutput } from '../../route.ts'
import { describeRoutes } from './openapi.ts'

interface Field {
  format?: string
  type?: string
  commaSeparated?: boolean
  anyOf?: Field[]
}
interface Body {
  schema: { format?: string; properties?: Record<string, Field> }
  encoding?: Record<string, object>
  example?: unknown
}
interface Operation {
  operationId: string
  tags: string[]
  parameters: { name: string; in: string; schema: Field; example?: unknown }[]
  requestBody?: { content: Record<string, Body> }
  responses: Record<string, object>
}
const document = describeRoutes(routes, apiNames) as {
  paths: Record<string, Record<string, Operation>>
  tags: { name: string }[]
  components: { schemas: Record<string, object> }
}

test('the document is valid OpenAPI 3.1', async () => {
  const result = await new Validator().validate(structuredClone(document))
  expect(result.errors ?? []).toEqual([])
  expect(result.valid).toBe(true)
})

test('the document has every route with its statuses and path parameters', () => {
  for (const route of routes) {
    const address = addressOf(route).replace(/:(\w+)/g, '{$1}')
    const operation = document.paths[address]?.[route.method.toLowerCase()]
    const statuses = [
      route.status,
      ...(route.isUnfinished ? [202] : []),
      ...(route.output === redirectableFileOutput ? [302] : []),
      ...(isFileOutput(route.output) ? [206, 304] : []),
    ]
    const expected = [...new Set(statuses)].sort().map(String)
    const successes = Object.keys(operation?.responses ?? {}).filter((status) => /^[23]/.test(status))
    expect([address, successes]).toEqual([address, expected])
    const named = operation?.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
    expect(named).toEqual([...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name))
  }
})

test('the document has redirects only for files that may be in a bucket', () => {
  const redirecting = Object.entries(document.paths)
    .filter(([, { get }]) => get && '302' in get.responses)
    .map(([address]) => address)
  const files = ['{upload_id}', '{secret}/{filename}']
  const owners = ['projects', 'groups']
  expect(redirecting.sort()).toEqual(
    owners.flatMap((owner) => files.map((file) => `/api/v4/${owner}/{id}/uploads/${file}`)).sort(),
  )
})

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method, path, ...operation })),
)

test('the document has unique and readable operation ids', () => {
  const names = operations.map(({ operationId }) => operationId)
  expect(new Set(names).size).toBe(names.length)
  for (const name of names) expect(name).toMatch(/^[a-z]+([A-Z][a-z0-9]*)*$/)
  expect(names).toEqual(
    expect.arrayContaining([
      ...['listProjectUploads', 'blockUser', 'uploadSecurityReport', 'listTopicAliases', 'createTopicAlias'],
      ...['listProjectVulnerabilities', 'dismissVulnerability', 'getProjectVulnerabilityNote', 'updateGroup'],
    ]),
  )
})

test('every operation id that is declared belongs to a route', () => {
  const addresses = new Set(routes.map(({ method, path }) => `${method} ${path}`))
  expect(Object.keys(apiNames.operations).filter((address) => !addresses.has(address))).toEqual([])
})

test('every tag is described and used', () => {
  const used = new Set(operations.flatMap(({ tags }) => tags))
  expect([...used].sort()).toEqual(document.tags.map(({ name }) => name).sort())
})

test.each([
  ['get', '/api/v4/version', ['200', '401', '403', '429', '4XX']],
  ['get', '/api/v4/projects/{id}', ['200', '400', '401', '403', '404', '429', '4XX']],
  ['post', '/api/v4/topics', ['201', '400', '401', '403', '409', '413', '415', '422', '429', '4XX']],
])('the document lists the statuses of %s %s', (method, path, statuses) => {
  expect(Object.keys(document.paths[path]?.[method]?.responses ?? {})).toEqual(statuses)
})

test('the document states how files, lists and objects are written in a form', () => {
  const encodings = new Map<string, object>()
  for (const { operationId, requestBody } of operations) {
    for (const [type, { schema, encoding = {} }] of Object.entries(requestBody?.content ?? {})) {
      const needed = Object.entries(schema.properties ?? {}).filter(([, field]) => isStructured(field))
      const names = type === 'application/json' ? [] : needed.map(([name]) => name)
      expect(Object.keys(encoding)).toEqual(names)
      for (const [name, each] of Object.entries(encoding)) encodings.set(`${operationId} ${name}`, each)
    }
  }
  expect(encodings.get('uploadSecurityReport file')).toEqual({
    contentType: 'application/json, application/gzip, application/xml, text/csv',
  })
  expect(encodings.get('createTopic avatar')).toEqual({ contentType: 'image/*' })
  expect(encodings.get('createProjectAccessToken scopes')).toEqual({ style: 'form', explode: false })
  expect(encodings.get('changeVulnerabilities filter')).toEqual({ style: 'deepObject', explode: true })
  expect(encodings.get('createProjectTrustRelation jwks')).toEqual({ style: 'deepObject', explode: true })
})

const isStructured = ({ format, type, commaSeparated, anyOf = [] }: Field): boolean =>
  format === 'binary' || type === 'object' || commaSeparated === true || anyOf.some(isStructured)

test.each([
  ['post', '/api/v4/topics', ['multipart/form-data', 'application/json', 'application/x-www-form-urlencoded']],
  ['post', '/api/v4/projects', ['multipart/form-data', 'application/json', 'application/x-www-form-urlencoded']],
  ['post', '/api/v4/topics/merge', ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data']],
  ['post', '/api/v4/projects/{id}/uploads', ['multipart/form-data']],
  ['post', '/api/graphql', ['application/json']],
])('the document lists the media types of the body of %s %s', (method, path, types) => {
  expect(Object.keys(document.paths[path]?.[method]?.requestBody?.content ?? {})).toEqual(types)
})

/** Formats of the document; an example with another one is refused. */
const formats = {
  binary: true,
  date: /^\d{4}-\d{2}-\d{2}$/,
  'date-time': (text: string) => new Date(text).toISOString() === text.replace(/Z$/, '.000Z'),
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
} as const

test('every example is valid against its own schema', () => {
  const ajv = new Ajv2020({ strict: false, validateSchema: false, formats })
  ajv.addSchema({ $id: 'document', components: document.components })
  // Many operations share a parameter, and a schema takes time to compile.
  const examples = new Map<string, string>()
  for (const { operationId, parameters, requestBody } of operations) {
    for (const { schema, example } of [...parameters, ...Object.values(requestBody?.content ?? {})]) {
      if (example !== undefined) examples.set(JSON.stringify({ schema, example }), operationId)
    }
  }
  expect(examples.size).toBeGreaterThan(90)
  const problems = [...examples].flatMap(([text, operationId]) => {
    const { schema, example } = JSON.parse(text.replaceAll('"#/components', '"document#/components'))
    // `additionalProperties` finds misspelt fields, which JSON Schema alone permits.
    const strict = schema.properties ? { ...schema, additionalProperties: false } : schema
    return ajv.validate(strict, example) ? [] : [[operationId, ajv.errors]]
  })
  expect(problems).toEqual([])
})

test('every body and every path parameter has an example', () => {
  const missing = operations.flatMap(({ operationId, parameters, requestBody }) => [
    ...Object.values(requestBody?.content ?? {})
      .slice(0, 1)
      // Bytes need no example.
      .filter(({ example, schema }) => example === undefined && schema?.format !== 'binary')
      .map(() => `${operationId} body`),
    ...parameters
      .filter((one) => one.in === 'path' && one.example === undefined)
      .map(({ name }) => `${operationId} ${name}`),
  ])
  expect(missing).toEqual([])
})

test('every declared example is used', () => {
  const { parameters, bodies } = apiNames.examples
  const names = new Set(operations.flatMap((operation) => operation.parameters.map(({ name }) => name)))
  const ids = new Set(operations.map(({ operationId }) => operationId))
  expect(Object.keys(parameters).filter((name) => !names.has(name))).toEqual([])
  expect(Object.keys(bodies).filter((id) => !ids.has(id))).toEqual([])
})
