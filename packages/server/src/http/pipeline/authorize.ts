import type { Caller } from '../../domain/access/callers.ts'
import { Failure, notFound, parameterProblem } from '../../platform/failure.ts'
import type { Found } from '../guard.ts'
import { mayHoldFile } from '../params/body.ts'
import { toBoolean } from '../params/coerce.ts'
import { emptyParams, mergeParams, type RawParams } from '../params/raw-params.ts'
import type { Endpoint } from './endpoint.ts'
import { pathOf } from './request-facts.ts'
import type { RequestState } from './request-state.ts'

/** Reads the path and answers 404 for a vulnerability that the caller may not read, before any input is validated. */
export function resolveResource({ guard, route }: Endpoint, state: RequestState): void | Promise<void> {
  state.pathParams = pathParamsOf(state)
  return guard.resolveReadable(route.permission, state.caller, idOf(state))?.then((authorize) => {
    state.authorizeRead = authorize
  })
}

/**
 * Authorizes a request with a file before its body is read, so that no file is stored for a caller who may not send it.
 * Rows with `anonymous: 'after-input'` report invalid input first.
 */
export function authorizeBeforeFile(endpoint: Endpoint, state: RequestState): void | Promise<void> {
  if (mayHoldFile(state.bodyKind)) return authorizeEarly(endpoint, state)
}

async function authorizeEarly(endpoint: Endpoint, state: RequestState): Promise<void> {
  state.early = await admit(endpoint, state, state.caller).catch(failureOnly)
  const { createMissing } = endpoint.route
  if (createMissing && state.caller && state.early instanceof Failure && state.early.cause.kind === 'not-found') {
    // Whether the request asks for it may stand in its body. The file is stored if the caller may create the resource.
    const permitted = createMissing.assertPermitted(endpoint.deps, state.caller, idOf(state) ?? '')
    const refusal = await permitted.then(() => undefined, failureOnly)
    state.missing = { failure: state.early, refusal }
    if (!refusal) state.early = { resources: {} }
    return
  }
  if (state.early instanceof Failure && endpoint.row.anonymous !== 'after-input') throw state.early
}

/** Rejects a request for a missing resource that does not ask to create it, or may not, before its input is validated. */
export function rejectMissing({ route }: Endpoint, { missing, query, body, pathParams }: RequestState): void {
  if (!missing || !route.createMissing) return
  const { [route.createMissing.parameter]: asked } = mergeParams(query, body ?? emptyParams(), pathParams)
  if (toBoolean(asked) !== true) throw missing.failure
  if (missing.refusal) throw missing.refusal
}

export async function authorize(endpoint: Endpoint, state: RequestState): Promise<void> {
  if (state.missing) return createAndAdmit(endpoint, state)
  if (state.early instanceof Failure) throw state.early
  state.found = state.early ?? (await (state.authorizeRead?.(state.caller) ?? admit(endpoint, state, state.caller)))
}

async function createAndAdmit(endpoint: Endpoint, state: RequestState): Promise<void> {
  const { deps, route } = endpoint
  const { caller, input } = state
  if (!route.createMissing || !caller) throw state.missing?.failure ?? notFound()
  const isNew = await route.createMissing.create({ deps, caller, reference: idOf(state) ?? '', input })
  state.hasCommitted ||= isNew
  state.found = { ...(await admit(endpoint, state, caller)), isNew }
}

/** Returns the resource of the path. Throws 401, 403, 404, or the redirect of a path that has moved. */
export async function admit(endpoint: Endpoint, state: RequestState, caller: Caller | null): Promise<Found> {
  try {
    return await endpoint.guard.authorize(endpoint.route.permission, caller, idOf(state))
  } catch (error) {
    throw state.isReading && isMoved(error) ? redirect(endpoint, state, error) : error
  }
}

function idOf({ pathParams }: RequestState): string | undefined {
  return typeof pathParams['id'] === 'string' ? pathParams['id'] : undefined
}

/** Returns decoded path parameters. No name contains a NUL, and no database stores one. */
function pathParamsOf({ request }: RequestState): RawParams {
  const params = request.params as RawParams // Fastify's type is unknown; they are strings by name
  for (const name in params) if (String(params[name]).includes('\0')) throw parameterProblem(`${name} is invalid`)
  return params
}

/** Redirects to the same URL with the id of the resource in place of its old path. */
function redirect({ idSegment }: Endpoint, { request, origin }: RequestState, { cause }: MovedFailure): Failure {
  const segments = pathOf(request).split('/')
  segments[idSegment] = String(cause.id)
  const [, ...query] = (request.raw.url ?? '').split('?')
  const address = [segments.join('/'), ...query].join('?')
  return new Failure({ ...cause, location: origin + address })
}

type MovedFailure = Failure & { cause: { kind: 'moved' } }

function isMoved(error: unknown): error is MovedFailure {
  return error instanceof Failure && error.cause.kind === 'moved'
}

function failureOnly(error: unknown): Failure {
  if (error instanceof Failure) return error
  throw error
}
