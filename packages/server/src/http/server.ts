import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
  type onRequestHookHandler,
  type onResponseHookHandler,
} from 'fastify'
import { badRequest, Failure } from '../platform/failure.ts'
import { type Log, withoutSecrets } from '../platform/log.ts'
import { runInTrace, traceFields } from '../platform/tracing.ts'
import { explainAbsence } from './absent-features.ts'
import { registerClientPackage } from './client-package.ts'
import { decorateForAudit, describeOutcome } from './pipeline/audit.ts'
import { delayContinue } from './pipeline/body/expectations.ts'
import { endConnectionsOnClose } from './pipeline/closing.ts'
import { compileEndpoint, type Endpoint, type Services } from './pipeline/endpoint.ts'
import { handleRequest } from './pipeline/handle-request.ts'
import { executeInTurn } from './pipeline/in-turn.ts'
import { openThrottle } from './pipeline/throttle.ts'
import { endRequestTrace, openRequestLogs, traceOf } from './pipeline/tracing.ts'
import { sendError } from './response/render.ts'
import { addressOf, type Method, type Route } from './route.ts'
import { isPageRequest, registerAssets, sendPage } from './web-pages.ts'

export type Server = FastifyInstance

/** Creates the HTTP server for these routes, which does not listen yet. */
export async function createServer(services: Omit<Services, 'throttle'>, routes: readonly Route[]): Promise<Server> {
  const { deps, guard } = services
  const app = openFastify(deps)
  await registerAssets(app)
  registerClientPackage(app)
  // The pipeline reads bodies after it has authenticated the caller.
  app.removeContentTypeParser(['application/json', 'text/plain'])
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))

  decorateForAudit(app)
  const throttle = openThrottle(deps, guard)
  app.addHook('onClose', () => throttle.close())
  registerRoutes(app, { ...services, throttle }, routes)
  // These hooks use callbacks, because promises would add 5% to the time of a small response.
  app.addHook('onRequest', startResponse(deps))
  app.addHook('onResponse', recordRequest(deps))
  endConnectionsOnClose(app, deps.draining)
  executeInTurn(app) // after the hook that tracks every request of a connection
  delayContinue(app)
  handleUnmatched(app, routes)
  app.setErrorHandler(handleFrameworkError)
  return app
}

function openFastify({ log, settings }: Services['deps']): Server {
  return fastify({
    // The cast keeps the type of the instance independent of pino's types.
    loggerInstance: log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    childLoggerFactory: openRequestLogs(),
    genReqId: ({ headers }) => requestId(headers['x-request-id']),
    // Closes idle connections. `arriving.ts` limits how slowly a body may arrive.
    connectionTimeout: 120_000,
    requestTimeout: 0,
    keepAliveTimeout: 72_000,
    http: { maxHeaderSize: 16 * 1024, headersTimeout: 30_000, connectionsCheckingInterval: 1000 },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    trustProxy: settings.trustedProxies.length > 0 && [...settings.trustedProxies],
    clientErrorHandler: refuseConnection,
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: 16_384,
      // A URL that is not valid UTF-8 matches no route.
      onBadUrl: (_path, request, response) => refuseAddress(request, response),
      querystringParser: () => ({}), // the pipeline reads the query by GitLab's rules
    },
  })
}

function registerRoutes(app: Server, services: Services, routes: readonly Route[]): void {
  for (const route of routes) {
    // Compiled on the first request, because compiling all routes takes a third of the start.
    let endpoint: Endpoint | undefined
    app.route({
      method: route.method === 'GET' ? ['GET', 'HEAD'] : route.method,
      url: addressOf(route),
      exposeHeadRoute: false,
      // Does not return the promise: Fastify would send its `undefined` while a file is being streamed.
      handler: (request, reply) => {
        endpoint ??= compileEndpoint(services, route)
        const compiled = endpoint
        void runInTrace(traceOf(request.raw), () => handleRequest(compiled, request, reply))
      },
    })
  }
}

/** Sets the headers of every response, and responds to CORS preflight requests. */
function startResponse({ settings }: Services['deps']): onRequestHookHandler {
  const isSecure = settings.externalUrl?.startsWith('https:')
  const assetHeaders = { ...commonHeaders, ...(isSecure && { 'strict-transport-security': onlyHttps }) }
  const otherHeaders = { ...assetHeaders, ...contentHeaders }
  return (request, reply, done) => {
    reply
      .headers(isAsset(request) ? assetHeaders : otherHeaders)
      .header('x-request-id', request.id)
      .header('x-gitlab-meta', `{"correlation_id":"${request.id}","version":"1"}`)
    if (hasTwoHosts(request)) return sendError(request, reply, badRequest('more than one Host header'))
    if (!isApi(request)) return done()
    if (request.headers.origin !== undefined) reply.headers(crossOriginHeaders)
    if (request.method !== 'OPTIONS') return done()
    const requested = request.headers['access-control-request-headers']
    if (requested !== undefined) reply.header('access-control-allow-headers', requested)
    reply.headers(preflightHeaders).code(200).send()
  }
}

/** Counts and logs every request when its response is complete. */
function recordRequest({ metrics, log }: Services['deps']): onResponseHookHandler {
  return (request, reply, done) => {
    const pattern = request.routeOptions.url ?? 'none'
    metrics.countRequest(request.method, pattern, reply.statusCode, reply.elapsedTime)
    if (log.isLevelEnabled('info')) logRequest(log, request, reply)
    endRequestTrace(request, pattern, reply.statusCode)
    done()
  }
}

/** Writes the line with the ids of the request, without a logger of its own. */
function logRequest(log: Log, request: FastifyRequest, reply: FastifyReply): void {
  log.info(
    {
      reqId: request.id,
      ...traceFields(traceOf(request.raw)),
      method: request.method,
      url: withoutSecrets(request.raw.url ?? ''),
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      ip: request.ip,
      ...describeOutcome(request, reply.statusCode),
    },
    'request',
  )
}

/** Responds to a request that no route handles: with a page of the web UI, 404, 405 or 410. */
function handleUnmatched(app: Server, routes: readonly Route[]): void {
  const methodsOn = matcher(routes)
  app.setNotFoundHandler((request, reply) => {
    if (isPageRequest(request)) return void sendPage(request, reply)
    const allowed = methodsOn((request.raw.url ?? '').split('?', 1)[0] ?? '')
    sendError(request, reply, new Failure(unmatchedCause(request, allowed)))
  })
}

function handleFrameworkError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const { statusCode = 500 } = error as { statusCode?: number } // set on Fastify's errors
  if (statusCode < 500) sendError(request, reply, new Failure({ kind: 'bad-request' }))
  else {
    request.log.error({ err: error }, 'request failed outside its route')
    sendError(request, reply, error)
  }
}

function unmatchedCause(request: FastifyRequest, allowed: readonly Method[]): Failure['cause'] {
  if (/^\/api\/v3(\/|$)/.test(request.raw.url ?? '')) return { kind: 'api-v3' }
  const path = (request.raw.url ?? '').split('?', 1)[0] ?? ''
  // `/projects/import` has the form of a project's path, but names a feature of GitLab.
  const reason = explainAbsence(path)
  if (allowed.length === 0 || reason !== undefined) return { kind: 'no-such-route', reason }
  const withHead = allowed.includes('GET') ? ['GET', 'HEAD', ...allowed.filter((method) => method !== 'GET')] : allowed
  return { kind: 'method-not-allowed', allowed: withHead }
}

/** Returns a function that lists the methods of the routes for a path, for the `Allow` header of a 405. */
function matcher(routes: readonly Route[]): (path: string) => Method[] {
  // Linear time: each pattern is the path of a route, in which a parameter ends at the next slash.
  const patterns = routes.map((route) => ({
    method: route.method,
    pattern: new RegExp(
      `^${addressOf(route)
        .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
        .replace(/:\w+/g, '[^/]+')}/?$`,
    ),
  }))
  return (path) => [...new Set(patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))]
}

function isApi(request: FastifyRequest): boolean {
  return (request.raw.url ?? '').startsWith('/api/')
}

/** Returns true for files of the web UI. They get no security policy, because it would apply to workers and images. */
function isAsset(request: FastifyRequest): boolean {
  return (request.raw.url ?? '').startsWith('/-/assets/')
}

/** Returns true for more than one Host header. Node uses the first one, but a proxy may have used another. */
function hasTwoHosts({ raw: { rawHeaders } }: FastifyRequest): boolean {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') hosts += 1
  }
  return hosts > 1
}

function requestId(sent: string | string[] | undefined): string {
  return typeof sent === 'string' && /^[\w.-]{1,64}$/.test(sent) ? sent : randomUUID()
}

function refuseAddress(request: FastifyRequest | unknown, response: unknown): void {
  void request
  // Fastify passes the raw response of Node, which its type does not declare.
  const reply = response as {
    statusCode: number
    setHeader(name: string, value: string): void
    end(text: string): void
  }
  reply.statusCode = 400
  reply.setHeader('content-type', 'application/json')
  reply.end('{"error":"the address is not valid percent-encoded UTF-8"}')
}

/** Rejects input that is not valid HTTP or has too large headers, and closes the connection. */
function refuseConnection(error: { code: string; rawPacket: unknown }, socket: Socket): void {
  const status = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 }[error.code] ?? 400
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const reason = STATUS_CODES[status]
  const body = JSON.stringify({ message: `${status} ${reason}` })
  const head = `HTTP/1.1 ${status} ${reason}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
  const isHead = Buffer.isBuffer(error.rawPacket) && error.rawPacket.subarray(0, 5).toString() === 'HEAD '
  socket.end(`${head}\r\nConnection: close\r\n\r\n${isHead ? '' : body}`, () => socket.destroy())
}

const commonHeaders = { 'x-content-type-options': 'nosniff', 'x-frame-options': 'SAMEORIGIN', vary: 'Origin' }

/** HSTS for one year, as browsers' preload lists and OWASP ASVS require. */
const onlyHttps = 'max-age=31536000; includeSubDomains'

/** Policy for API responses: a browser that displays one must not run or load anything. Pages and uploads override it. */
const contentHeaders = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
}

const exposed = [
  'Link',
  'X-Total',
  'X-Total-Pages',
  'X-Per-Page',
  'X-Page',
  'X-Next-Page',
  'X-Prev-Page',
  'X-Gitlab-Blob-Id',
  'X-Gitlab-Commit-Id',
  'X-Gitlab-Content-Sha256',
  'X-Gitlab-Encoding',
  'X-Gitlab-File-Name',
  'X-Gitlab-File-Path',
  'X-Gitlab-Last-Commit-Id',
  'X-Gitlab-Ref',
  'X-Gitlab-Size',
  'X-Request-Id',
  'X-Alcove-Outcome',
  'X-Alcove-Waiting-Findings',
  'Idempotency-Replayed',
  'Retry-After',
  'ETag',
]
const crossOriginHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': exposed.join(', '),
}
const preflightHeaders = {
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
  'access-control-max-age': '7200',
}
