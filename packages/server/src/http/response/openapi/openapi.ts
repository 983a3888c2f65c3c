import type { TSchema } from 'typebox'
import { type Permission, type PermissionRow, permissions } from '../../../domain/access/permissions.ts'
import { version } from '../../../platform/version.ts'
import { addressOf, isFileOutput, metricsOutput, noOutput, type Route, redirectableFileOutput } from '../../route.ts'
import { pageProperties } from '../pages.ts'
import { isBinary, requestBody } from './body.ts'
import { type ApiExamples, pathExample, withExample } from './examples.ts'
import { operationIdOf } from './operation-id.ts'
import { plain, type Schemas } from './schemas.ts'

/** Returns the OpenAPI 3.1 document of the routes. Their schemas are JSON Schema already. */
export function describeRoutes(routes: readonly Route[], names: ApiNames): object {
  const paths: Record<string, Record<string, unknown>> = {}
  const schemas: Record<string, unknown> = { Error: errorSchema }
  for (const route of routes) {
    const address = addressOf(route).replace(/:(\w+)/g, '{$1}')
    paths[address] ??= {}
    paths[address][route.method.toLowerCase()] = describeRoute(route, schemas, names)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Alcove',
      version,
      description:
        'Markdown uploads, project topics and project vulnerabilities over GitLab’s REST API v4. ' +
        'Parameters are accepted in the query, as a form, as multipart or as JSON.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ privateToken: [] }, { bearer: [] }, {}],
    tags: Object.entries(names.tags).map(([name, { description }]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        privateToken: { type: 'apiKey', in: 'header', name: 'PRIVATE-TOKEN' },
        bearer: { type: 'http', scheme: 'bearer' },
      },
      schemas,
      responses: {
        ...Object.fromEntries(Object.entries(errorDescriptions).map(([status, text]) => [status, errorResponse(text)])),
        Error: errorResponse('Any other error of the request'),
      },
    },
  }
}

/** Names and examples that do not follow from a route. */
export interface ApiNames {
  /** Operation ids by method and path, such as `GET /user`. */
  operations: Readonly<Record<string, string>>
  /** Tags in the order of the document. `paths` are path segments that have this tag although they are named otherwise. */
  tags: Readonly<Record<string, { description: string; paths?: readonly string[] }>>
  examples: ApiExamples
}

const errorResponse = (description: string) => ({
  description,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
})

/** Union of GitLab's three kinds of error bodies. */
const errorSchema = {
  type: 'object',
  properties: {
    error: { type: 'string' },
    error_description: { type: 'string' },
    scope: { type: 'string' },
    message: { type: ['string', 'object'] },
    errors: { type: 'array', items: { type: 'object' } },
  },
}

function describeRoute(route: Route, schemas: Schemas, { operations, tags, examples }: ApiNames): object {
  const pathNames = [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  const properties: Record<string, TSchema> = {
    ...route.input?.properties,
    ...(route.paged && pageProperties),
  }
  const required: readonly string[] = route.input?.required ?? []
  const row: PermissionRow = permissions[route.permission]
  const inBody = sendsBody(route)
  const others = Object.entries(properties).filter(([name]) => !pathNames.includes(name))
  const operationId = operations[`${route.method} ${route.path}`] ?? operationIdOf(route)
  return {
    operationId,
    summary: route.summary,
    description: whoMay(route.permission, row),
    tags: [tagOf(route, tags)],
    ...(route.isDeprecated && { deprecated: true }),
    ...(row.who === 'anyone' ? {} : { security: [{ privateToken: [] }, { bearer: [] }] }),
    parameters: [
      ...pathNames.map((name) => ({
        name,
        in: 'path',
        required: true,
        schema: plain(properties[name] ?? idSchema, schemas),
        ...pathExample(route, name, properties[name] ?? idSchema, examples),
      })),
      ...others
        .filter(([, field]) => !inBody || (route.rawFile && !isBinary(field)))
        .map(([name, schema]) => queryParameter(name, plain(schema, schemas), !inBody && required.includes(name)))
        .map((parameter) => withExample(parameter, examples)),
      ...(route.method === 'POST' && row.who !== 'anyone' && !route.limitsGuesses
        ? [withExample(idempotencyKey, examples)]
        : []),
    ],
    ...(inBody &&
      others.length > 0 && {
        requestBody: requestBody(
          {
            fields: others,
            required,
            rawTypes: route.rawFile,
            example: examples.bodies[operationId],
            isJsonOnly: route.rawBody === true,
          },
          schemas,
        ),
      }),
    ...(route.streamedBody !== undefined && {
      requestBody: {
        required: true,
        content: { [route.streamedBody]: { schema: { type: 'string', format: 'binary' } } },
      },
    }),
    responses: {
      [route.status]: successOf(route, schemas),
      ...(isFileOutput(route.output) && fileResponses),
      ...(route.output === redirectableFileOutput && redirectResponse),
      ...(route.isUnfinished && { 202: { ...successOf(route, schemas), description: 'Not finished yet' } }),
      ...Object.fromEntries(
        errorStatuses(route, row).map((status) => [status, { $ref: `#/components/responses/${status}` }]),
      ),
      '4XX': { $ref: '#/components/responses/Error' },
    },
  }
}

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Makes the request safe to retry for 24 hours. The same request with the same key returns the first response again, ' +
    'with the header Idempotency-Replayed',
  schema: { type: 'string', minLength: 16, maxLength: 255 },
}

// Used only in the document and never compiled by TypeBox.
const idSchema = { type: 'string', description: 'ID, or full path with / encoded as %2F' } as TSchema

function queryParameter(name: string, schema: unknown, isRequired: boolean) {
  const isList = (schema as { type?: string }).type === 'array' // any keyword may be absent
  return {
    name: isList ? `${name}[]` : name,
    in: 'query',
    ...(isRequired && { required: true }),
    ...(isList && { style: 'form', explode: true }),
    schema,
  }
}

function successOf(route: Route, schemas: Schemas): object {
  if (route.output === noOutput) return { description: 'Success; no body' }
  if (isFileOutput(route.output)) {
    const schema = { type: 'string', format: 'binary' }
    return { description: 'The file', content: { 'application/octet-stream': { schema } } }
  }
  if (route.output === metricsOutput) {
    return { description: 'Metrics', content: { 'text/plain': { schema: { type: 'string' } } } }
  }
  return {
    description: route.paged ? 'One page of the list' : route.status === 201 ? 'Done, or created' : 'OK',
    ...(route.paged && { headers: pageHeaderSchemas }),
    content: { 'application/json': { schema: outputOf(route, schemas) } },
  }
}

/** The shape without the parameter of an alternative comes first; the types of the client are made from it. */
function outputOf({ output, alternative }: Route, schemas: Schemas): unknown {
  if (!alternative) return plain(output, schemas)
  const other = { ...alternative.output, description: `With \`${alternative.parameter}\`` }
  return { anyOf: [plain(output, schemas), plain(other, schemas)] }
}

const fileResponses = {
  206: {
    description: 'The byte range requested with `Range`',
    content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
  },
  304: { description: 'Not modified since the version in `If-None-Match` or `If-Modified-Since`' },
}

const redirectResponse = {
  302: {
    description: 'Temporary redirect to the file, on servers that store files in a bucket and enable redirects',
    headers: { Location: { schema: { type: 'string', format: 'uri' } } },
  },
}

const pageHeaderSchemas = Object.fromEntries(
  ['X-Total', 'X-Total-Pages', 'X-Per-Page', 'X-Page', 'X-Next-Page', 'X-Prev-Page', 'Link'].map((name) => [
    name,
    { schema: { type: 'string' } },
  ]),
)

function whoMay(permission: Permission, { on, who, scope }: PermissionRow): string {
  const where = on === 'instance' ? '' : ` of the ${on}`
  const people: Record<PermissionRow['who'], string> = {
    anyone: on === 'instance' ? 'anyone' : `anyone who can read the ${on}`,
    user: on === 'instance' ? 'signed-in users' : `signed-in users who can read the ${on}`,
    admin: 'administrators',
    monitor: 'clients on the server’s host, and clients with the metrics token',
    triager: 'maintainers and up; configurable to developers and up',
    guest: `guests${where} and up`,
    planner: `planners${where} and up`,
    reporter: `reporters${where} and up`,
    developer: `developers${where} and up`,
    maintainer: `maintainers${where} and up`,
    owner: `owners${where}`,
  }
  return `For ${people[who]}. Token scope: ${scope}. Permission: ${permission}.`
}

/** Returns the tag of a route: the noun in its path. */
function tagOf({ path }: Route, tags: ApiNames['tags']): string {
  const nouns = path.split('/').filter((part) => part !== '' && !part.startsWith(':') && part !== '-')
  const [first = '', second] = nouns
  const isOwner = first === 'projects' || first === 'groups'
  const noun = (isOwner && second) || first
  const [tag = noun] = Object.entries(tags).find(([, { paths }]) => paths?.includes(noun)) ?? []
  return tag
}

function sendsBody({ method }: Route): boolean {
  return method === 'POST' || method === 'PUT' || method === 'PATCH'
}

/** Statuses of errors that a route can answer with, besides those that any route can (429, 503). */
function errorStatuses(route: Route, row: PermissionRow): number[] {
  const { path, input, fileLimit } = route
  const hasBody = sendsBody(route)
  return [
    ...(input || route.paged ? [400] : []),
    ...[401, 403],
    ...(path.includes('/:') || row.on !== 'instance' ? [404] : []),
    ...(hasBody ? [409, 413, 415] : []),
    ...(fileLimit ? [422] : []),
    429,
  ].filter((status) => status !== route.status)
}

const errorDescriptions: Record<number, string> = {
  400: 'A parameter is missing or invalid',
  401: 'The credentials are missing, wrong or expired',
  403: 'The caller’s role or the scope of the token is not sufficient',
  404: 'The resource does not exist, or the caller may not see it',
  409: 'The request conflicts with the current state, or with another request that has the same Idempotency-Key',
  413: 'The body is larger than permitted',
  415: 'The media type of the body is not supported',
  422: 'The file or the repeated Idempotency-Key does not match',
  429: 'Too many requests; retry after the seconds in `Retry-After`',
}
