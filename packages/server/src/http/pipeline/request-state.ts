import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Caller } from '../../domain/access/callers.ts'
import type { Failure } from '../../platform/failure.ts'
import type { ReceivedFile } from '../../platform/object-store/objects.ts'
import type { Authorize, Credentials, Found } from '../guard.ts'
import { type BodyKind, bodyKind, mediaType } from '../params/body.ts'
import { emptyParams, parseUrlencoded, type RawParams } from '../params/raw-params.ts'
import type { ResourceContext, Route } from '../route.ts'
import type { Endpoint } from './endpoint.ts'
import { isLocalClient } from './local-client.ts'
import { originOf } from './origin.ts'
import { clientAddress, isRead } from './request-facts.ts'

/** Everything known about one request. Each step of the pipeline reads it and fills in its own part. */
export interface RequestState {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** True for GET and HEAD. */
  readonly isReading: boolean
  readonly bodyKind: BodyKind
  /** `https://host` of the links in the response. */
  readonly origin: string
  readonly query: RawParams
  credentials: Credentials
  caller: Caller | null
  pathParams: RawParams
  /** Authorization of a resource that was read before the input. */
  authorizeRead: Authorize | undefined
  /** The result of authorization when it runs before the body is read; a failure may be thrown later. */
  early: Found | Failure | undefined
  /** Set while a route that can create its resource has found none: the failure, and why the caller may not create it. */
  missing: { failure: Failure; refusal: Failure | undefined } | undefined
  /** Undefined until the body has been read. */
  body: RawParams | undefined
  /** The bytes of the body, on routes with `rawBody`. */
  bytes: Buffer
  /** Query, body and path together, before validation. */
  rawParams: RawParams
  input: Record<string, unknown>
  /** The resource that the path names. */
  found: Found
  /** Set by the handler and sent with the response. */
  headers: Record<string, string | string[]>
  /** Files that have been stored for this request. */
  files: ReceivedFile[]
  /** Whether a transaction of the handler has committed. */
  hasCommitted: boolean
}

const noBytes = Buffer.alloc(0)
const noParams: RawParams = Object.freeze(emptyParams())

/** Returns the state before the first step. Throws 400 for a query that cannot be decoded. */
export function openRequestState(endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply): RequestState {
  const isReading = isRead(request)
  return {
    request,
    reply,
    isReading,
    bodyKind: kindOfBody(endpoint.route, request),
    origin: originOf(endpoint.deps, request),
    // GitLab's clients send nothing outside /api/v4, where a query could hold a password.
    query: endpoint.route.outside && !isReading ? emptyParams() : queryOf(request),
    credentials: {
      isReading,
      address: clientAddress(request),
      isLocal: isLocalClient(request),
      resourceId: resourceIdOf(request),
    },
    caller: null,
    pathParams: noParams,
    authorizeRead: undefined,
    early: undefined,
    missing: undefined,
    body: undefined,
    bytes: noBytes,
    rawParams: noParams,
    input: {},
    found: { resources: {} },
    headers: {},
    files: [],
    hasCommitted: false,
  }
}

/** Returns what a handler receives of the resources that the guard has found. */
export function resourceContext({ resources, level, isNew }: Found): ResourceContext {
  // Assigning takes V8 0.03 µs, and spreading several µs.
  return Object.assign({ level, isNew }, resources)
}

function queryOf(request: FastifyRequest): RawParams {
  const url = request.raw.url ?? ''
  const question = url.indexOf('?')
  return question < 0 ? emptyParams() : parseUrlencoded(url.slice(question + 1))
}

/** Returns how the body is read. Clients announce JSON on requests without a body, so an empty body is never a file. */
function kindOfBody({ rawFile, rawBody, streamedBody }: Route, request: FastifyRequest): BodyKind {
  const kind = bodyKind(request)
  if (streamedBody !== undefined && kind !== 'none') return mediaType(request) === streamedBody ? 'streamed' : 'other'
  if (rawBody) return kind === 'none' ? kind : 'raw'
  if (!rawFile || request.headers['content-length'] === '0') return kind
  return rawFile.includes(mediaType(request)) ? 'file' : kind
}

function resourceIdOf({ params }: FastifyRequest): string | undefined {
  const { id } = params as RawParams // Fastify's type is unknown; they are strings by name
  return typeof id === 'string' ? id : undefined
}
