import type { Database } from '../../db/db.ts'
import { observeWrites } from '../../db/observed-writes.ts'
import { isForeignKeyViolation } from '../../db/violations.ts'
import type { Actor } from '../../domain/actor.ts'
import type { RootDeps } from '../../domain/deps.ts'
import { notFound } from '../../platform/failure.ts'
import type { Log } from '../../platform/log.ts'
import { metricsContentType } from '../../platform/metrics.ts'
import type { Trace } from '../../platform/tracing.ts'
import { streamBody } from '../params/body.ts'
import { emptyParams } from '../params/raw-params.ts'
import { type Download, sendDownload } from '../response/download.ts'
import { openPageBuffers } from '../response/page-buffers.ts'
import { type KeysetPage, keysetHeaders, type NumberedPage, pageHeaders, readPage } from '../response/pages.ts'
import { type Content, contentFrom, type Rendered, sendNothing, sendRendered } from '../response/render.ts'
import { type Allocate, isJoined, isRenderedRow, joinRows, ownBytes } from '../response/rendered-row.ts'
import { isFileOutput, metricsOutput, noOutput, type RouteContext } from '../route.ts'
import { logAudit, noteFields } from './audit.ts'
import { admit } from './authorize.ts'
import { readCookie } from './cookies.ts'
import { hasSecret } from './credentials.ts'
import type { Endpoint } from './endpoint.ts'
import { pathOf } from './request-facts.ts'
import { type RequestState, resourceContext } from './request-state.ts'
import type { RenderedResult, ResponseCache, ResponseKey } from './response-cache.ts'
import { tracedDeps } from './tracing.ts'

const pageBuffers = openPageBuffers()

/** Calls the route's handler, or takes its response from the cache, and sends the response. */
export async function respond(endpoint: Endpoint, state: RequestState): Promise<void> {
  const { route, guard } = endpoint
  const isPersonal = route.isPersonal?.({ deps: endpoint.deps, input: state.input }) === true
  const isShared = !hasSecret(state.query) && !isPersonal
  const responses = isShared ? endpoint.responses : undefined
  if (route.check) await route.check(contextOf(endpoint, state, depsOf(endpoint, state)))
  try {
    await (responses
      ? sendCached(endpoint, state, responses)
      : executeAndSend(endpoint, state, depsOf(endpoint, state)))
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error
    // A row that the request refers to was deleted after authorization. Authorizing again finds the right status.
    state.request.log.warn({ err: error }, 'deleted meanwhile')
    await admit(endpoint, state, await guard.authenticate(route.permission, state.credentials))
    throw notFound()
  }
}

/** Dependencies with the sender of the request, whose commits are recorded for the `X-Alcove-Outcome` of an error. */
function depsOf({ deps }: Endpoint, state: RequestState): RootDeps {
  const { trace, log } = tracedDeps(state.request)
  const actor = actorOf(state)
  if (state.isReading) return ownDeps(deps, deps.db, { trace, log, actor })
  const onCommit = () => {
    state.hasCommitted = true
  }
  return ownDeps(deps, observeWrites(deps.db, { onCommit }), { trace, log, actor })
}

/** Names every field, because V8 takes 0.03 µs for a literal and 5 µs to spread one with so many fields. */
function ownDeps(
  { objects, settings, now, random, resolve, metrics, draining, stopping }: RootDeps,
  db: Database,
  { trace, log, actor }: { trace: Trace; log: Log; actor: Actor },
): Required<RootDeps> {
  return { db, objects, settings, now, random, resolve, metrics, draining, stopping, trace, log, actor }
}

function actorOf({ caller, credentials: { address } }: RequestState): Actor {
  return { address, user: caller?.user, token: caller?.token, sudoBy: caller?.sudoBy }
}

async function sendCached(endpoint: Endpoint, state: RequestState, responses: ResponseCache): Promise<void> {
  const { request, reply, found, rawParams, origin, input } = state
  const key: ResponseKey = {
    origin,
    url: request.raw.url ?? '',
    input,
    organizationId: rawParams['organization_id'],
    resources: found.resources,
    callerAccess: endpoint.route.isPerCaller && { caller: state.caller, level: found.level },
  }
  const load = async ({ isCached }: { isCached: boolean }) => {
    const result = await handle(endpoint, state, endpoint.deps)
    return isCached ? withOwnBytes(renderResult(endpoint, result)) : renderResult(endpoint, result, untilSent(state))
  }
  const build = (result: RenderedResult) => responseOf(endpoint, state, result)
  const rendered = responses.peek(key) ?? (await responses.get(key, load, build))
  reply.headers(state.headers)
  return sendRendered(request, reply, rendered, {
    isAllowed: endpoint.isCompressible,
    onCompressed: () => responses.updateWeight(key, rendered),
  })
}

async function executeAndSend(endpoint: Endpoint, state: RequestState, deps: RootDeps): Promise<void> {
  const { route, executeOnce } = endpoint
  const { request, reply, caller, rawParams } = state
  if (isFileOutput(route.output)) {
    const download = (await handle(endpoint, state, deps)) as Download // the type of such an output
    await sendDownload(reply.headers(state.headers), request, download)
  } else if (route.output === metricsOutput) {
    reply.header('content-type', metricsContentType).send(await handle(endpoint, state, deps))
  } else {
    const call = { request, caller, rawParams, deps }
    const { rendered, headers } = await executeOnce(call, (deps) => execute(endpoint, state, deps))
    reply.headers(headers)
    if (rendered) await sendRendered(request, reply, rendered, { isAllowed: endpoint.isCompressible })
    else sendNothing(reply, route.status)
  }
}

async function execute(endpoint: Endpoint, state: RequestState, deps: RootDeps) {
  if (endpoint.route.output !== noOutput) {
    const result = await handle(endpoint, state, deps)
    // The response to a write may be stored for a repeated request with the same `Idempotency-Key`.
    const allocate = state.isReading ? untilSent(state) : undefined
    const rendered = responseOf(endpoint, state, renderResult(endpoint, result, allocate))
    return { rendered, headers: state.headers }
  }
  await handle(endpoint, state, deps)
  return { rendered: undefined, headers: state.headers }
}

/** Allocates buffers that are used again after the response has been sent. */
const untilSent =
  ({ reply }: RequestState): Allocate =>
  (bytes) =>
    pageBuffers.acquireUntilSent(reply.raw, bytes)

/** Renders the result of a handler, without the headers that depend on the address of the request. */
function renderResult({ route, stringify }: Endpoint, result: unknown, allocate?: Allocate): RenderedResult {
  if (isRenderedRow(result)) {
    return { status: route.status, content: result.content ?? { bytes: result.json, digest: result.digest } }
  }
  if (!route.paged) {
    return { status: route.isUnfinished?.(result) ? 202 : route.status, content: contentFrom(stringify(result)) }
  }
  const { rows, ...end } = result as NumberedPage<unknown> | KeysetPage<unknown> // routes with `paged` return one
  return {
    status: route.status,
    content: contentOf(rows, stringify, allocate),
    end: Object.assign({ rowCount: rows.length }, end),
  }
}

/** Copies the JSON of a single row out of the buffer that it shares with others, which the cache would keep in memory. */
function withOwnBytes(result: RenderedResult): RenderedResult {
  const { bytes, digest } = result.content
  const own = ownBytes(bytes)
  return own === bytes ? result : { ...result, content: { bytes: own, digest } }
}

function contentOf(rows: readonly unknown[], stringify: Endpoint['stringify'], allocate?: Allocate): Content {
  if (isJoined(rows)) return rows.content
  return rows.length > 0 && rows.every(isRenderedRow) ? joinRows(rows, allocate) : contentFrom(stringify(rows))
}

function responseOf({ route }: Endpoint, state: RequestState, { status, content, end }: RenderedResult): Rendered {
  if (!route.paged || !end) return { status, headers: {}, content }
  const { page, perPage } = pageRequestOf(state)
  const url = state.origin + pathOf(state.request)
  const parameters = Object.assign(Object.assign(emptyParams(), state.rawParams), state.input)
  const headers =
    'next' in end
      ? keysetHeaders({ perPage, url, parameters, next: end.next })
      : pageHeaders(Object.assign({ page, perPage, url, parameters }, end))
  return { status, headers, content }
}

async function handle(endpoint: Endpoint, state: RequestState, deps: RootDeps): Promise<unknown> {
  const { route } = endpoint
  const result = await route.handle(contextOf(endpoint, state, deps))
  if (route.audit) logAudit(state.request, route.audit, { ...state, result })
  return result
}

function contextOf({ route, guard }: Endpoint, state: RequestState, deps: RootDeps): RouteContext {
  const { request, credentials, caller, found, input, headers, origin } = state
  const client = {
    address: credentials.address,
    userAgent: request.headers['user-agent'],
    browser: readCookie(request.headers.cookie, 'alcove_browser', origin),
    flow: readCookie(request.headers.cookie, 'alcove_flow', origin),
  }
  const unmodifiedSince = dateHeader(request.headers['if-unmodified-since'])
  const page = route.paged ? pageRequestOf(state) : undefined
  const raw = { headers: request.headers, body: state.bytes, stream: () => streamBody(request) }
  const permit: RouteContext['permit'] = (permission, id) => guard.permit(permission, caller, id)
  const note: RouteContext['note'] = (fields) => noteFields(request, fields)
  const context = { deps, caller, input, origin, page, unmodifiedSince, client, headers, raw, permit, note }
  return Object.assign(context, resourceContext(found))
}

/** The input of a route with `paged` always has both values. */
function pageRequestOf({ input }: RequestState) {
  return readPage({ page: Number(input['page']), per_page: Number(input['per_page']) })
}

function dateHeader(value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  const time = Date.parse(value)
  return Number.isNaN(time) ? undefined : time
}
