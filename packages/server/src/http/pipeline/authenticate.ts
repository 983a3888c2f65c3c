import type { Caller } from '../../domain/access/callers.ts'
import { forbidden } from '../../platform/failure.ts'
import type { RawParams } from '../params/raw-params.ts'
import { noteUser } from './audit.ts'
import { isSmallBody, readForm } from './body/request-body.ts'
import { hasCredentials, readCredentials, readSudo, sessionHeader, withSudo } from './credentials.ts'
import type { Endpoint } from './endpoint.ts'
import type { RequestState } from './request-state.ts'

/** Rejects a write outside /api/v4 that the page of another site has sent. */
export function rejectForeignOrigin({ route }: Endpoint, state: RequestState): void {
  if (route.outside && !state.isReading) assertSameOrigin(state)
}

/**
 * Reads the credentials from headers and query. A small form is read first, because it may hold the token; a large one
 * only when the headers identify no one.
 */
export function collectCredentials(endpoint: Endpoint, state: RequestState): void | Promise<void> {
  state.credentials = credentialsOf(endpoint, state)
  if (state.bodyKind === 'urlencoded' && (isSmallBody(state.request) || !hasCredentials(state.credentials))) {
    return collectFromForm(endpoint, state)
  }
  assertSessionOrigin(endpoint, state)
}

async function collectFromForm(endpoint: Endpoint, state: RequestState): Promise<void> {
  state.body = await readForm(endpoint, state)
  state.credentials = credentialsOf(endpoint, state, state.body)
  assertSessionOrigin(endpoint, state)
}

function assertSessionOrigin({ route }: Endpoint, state: RequestState): void {
  if (state.credentials.session && !route.outside) assertSameOrigin(state)
}

export async function authenticate(endpoint: Endpoint, state: RequestState): Promise<void> {
  const { guard, route } = endpoint
  state.caller = await guard.authenticate(route.permission, state.credentials, (user) => count(endpoint, state, user))
  if (endpoint.isPrivate) state.reply.header('cache-control', 'no-store')
}

/** Authenticates again when the body names another token, or the user to act for. */
export function authenticateByBody(endpoint: Endpoint, state: RequestState): void | Promise<void> {
  if (!state.body) return
  const { token, sudo } = state.credentials
  state.credentials =
    state.bodyKind === 'urlencoded'
      ? credentialsOf(endpoint, state, state.body)
      : withSudo(state.credentials, readSudo(state.body['sudo'], sudo))
  const hasSameToken = state.credentials.token === token
  if (!hasSameToken || state.credentials.sudo !== sudo) return authenticateAgain(endpoint, state, !hasSameToken)
}

async function authenticateAgain(endpoint: Endpoint, state: RequestState, isCounted: boolean): Promise<void> {
  const { guard, route } = endpoint
  const countAgain = (user: Caller['user'] | undefined) => count(endpoint, state, user)
  state.caller = await guard.authenticate(route.permission, state.credentials, isCounted ? countAgain : undefined)
  state.early = undefined
}

/** Below /api/ a cookie counts only with a header that forms and images of other sites cannot send. */
function credentialsOf(
  { route, row }: Endpoint,
  { request, query, origin, credentials }: RequestState,
  form?: RawParams,
) {
  const isCookieRead = route.outside ? row.session === true : request.headers[sessionHeader] === '1'
  return readCredentials(request.headers, { sender: credentials, isCookieRead, origin }, query, form)
}

function count(
  { throttle, route }: Endpoint,
  { request, reply }: RequestState,
  user: Caller['user'] | undefined,
): Promise<void> | undefined {
  noteUser(request, user)
  return throttle.admit(route, request, reply, user)
}

/** Where a cookie counts, the page of another site must not be able to change anything. */
function assertSameOrigin({ request, origin }: RequestState): void {
  const sent = request.headers.origin
  if (sent !== undefined && sent !== new URL(origin).origin) throw forbidden()
}
