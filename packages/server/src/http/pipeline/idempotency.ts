import type { FastifyRequest } from 'fastify'
import { observeWrites } from '../../db/observed-writes.ts'
import type { Caller } from '../../domain/access/callers.ts'
import type { RootDeps } from '../../domain/deps.ts'
import { type Attempt, beginAttempt } from '../../domain/idempotency/idempotency.ts'
import type { StoredResponse } from '../../domain/idempotency/sealed-response.ts'
import { badRequest, Failure } from '../../platform/failure.ts'
import type { ReceivedFile } from '../../platform/object-store/objects.ts'
import { errorResponse } from '../errors.ts'
import type { Guard } from '../guard.ts'
import type { RawParams } from '../params/raw-params.ts'
import { contentFrom, type Rendered } from '../response/render.ts'
import { addressOf, type Route } from '../route.ts'
import { credentialNames } from './credentials.ts'

/** The response of a route before it is sent. `rendered` is undefined when there is no body. */
interface Response {
  rendered: Rendered | undefined
  /** Set by the handler. */
  headers: Record<string, string | string[]>
}

interface IdempotentCall {
  request: FastifyRequest
  caller: Caller | null
  rawParams: RawParams
  /** Dependencies of this request, whose database reports writes. */
  deps: RootDeps
}

/**
 * Returns the idempotency key. It is ignored for methods other than POST, for routes that read their body
 * themselves, and for routes that check a password: they must check it every time, and a stored response would return the
 * cookie of an older session.
 */
function keyOf(request: FastifyRequest, route: Route): string | undefined {
  const sent = request.headers['idempotency-key']
  if (sent === undefined || request.method !== 'POST' || route.limitsGuesses || route.rawBody) return undefined
  const key = String(sent).replace(/^"(.*)"$/, '$1') // accepts a quoted structured field and the bare key
  if (!/^[\x21-\x7e]{16,255}$/.test(key)) {
    throw badRequest('Idempotency-Key must be 16 to 255 printable ASCII characters without spaces, such as a UUID')
  }
  return key
}

/** Executes a request, only once if it has an `Idempotency-Key`. */
type ExecuteOnce = (call: IdempotentCall, execute: (deps: RootDeps) => Promise<Response>) => Promise<Response>

/**
 * Returns the first response for a repeated request. The guard has already authorized the caller for the resource in the
 * path. Access to a created resource is checked here, because the caller may have lost it since.
 */
export function openExecuteOnce(deps: RootDeps, guard: Guard, route: Route): ExecuteOnce {
  return async (call, execute) => {
    const { request, caller, rawParams } = call
    const key = keyOf(request, route)
    if (key === undefined || !caller) return execute(call.deps)
    const begun = await beginAttempt(deps, { key, caller, content: contentOf(route, rawParams, request) })
    if ('attempt' in begun) return executeFirst(route, begun.attempt, call.deps, execute)
    const created = createdId(route, begun.response)
    if (route.creates && created !== undefined) await guard.authorize(route.creates, caller, created)
    return replay(begun.response)
  }
}

async function executeFirst(
  route: Route,
  attempt: Attempt,
  deps: RootDeps,
  execute: (deps: RootDeps) => Promise<Response>,
): Promise<Response> {
  const db = observeWrites(deps.db, { beforeWrite: attempt.mark })
  try {
    const response = await execute({ ...deps, db })
    await attempt.finish(storedResponse(route, response))
    return response
  } catch (error) {
    await finishRejected(attempt, error)
    throw error
  }
}

/** Stores a rejection as the result of the attempt. Abandons the attempt for errors that a retry may avoid. */
async function finishRejected(attempt: Attempt, error: unknown): Promise<void> {
  const { status, body, headers = {} } = errorResponse(error)
  if (!(error instanceof Failure) || status >= 500 || status === 429 || status === 409) return attempt.abandon()
  const isText = typeof body === 'string'
  const contentType = isText ? 'text/plain' : 'application/json'
  await attempt.finish({ status, headers, body: isText ? body : JSON.stringify(body), contentType })
}

function storedResponse(route: Route, { rendered, headers }: Response): StoredResponse {
  if (!rendered) return { status: route.status, headers, body: null, contentType: null }
  const { status, contentType = 'application/json', content } = rendered
  return { status, headers: { ...rendered.headers, ...headers }, body: content.bytes.toString('utf8'), contentType }
}

function replay({ status, headers, body, contentType }: StoredResponse): Response {
  const replayed = { ...headers, 'idempotency-replayed': 'true' }
  if (body === null) return { rendered: undefined, headers: replayed }
  const rendered = { status, headers: {}, content: contentFrom(body), contentType: contentType ?? '' }
  return { rendered, headers: replayed }
}

function createdId(route: Route, { status, body }: StoredResponse): string | undefined {
  if (!route.creates || status >= 300 || body === null) return undefined
  const { id } = JSON.parse(body) as { id: number } // such routes return what they created
  return String(id)
}

/** Returns the content that identifies the request: parameters without credentials, and files by their digest. */
function contentOf(route: Route, rawParams: RawParams, { headers }: FastifyRequest): string {
  const values = Object.fromEntries(Object.entries(rawParams).filter(([name]) => !credentialNames.includes(name)))
  const condition = headers['if-unmodified-since'] ?? null
  return JSON.stringify([route.method, addressOf(route), condition, canonical(values)])
}

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical)
  if (value === null || typeof value !== 'object') return value
  if (isFile(value)) return { filename: value.filename, bytes: value.bytes, sha256: value.sha256 }
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return entries.map(([name, item]) => [name, canonical(item)])
}

function isFile(value: object): value is ReceivedFile {
  return 'sha256' in value && 'filename' in value && 'key' in value
}
