import fastJson from 'fast-json-stringify'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type, { type TObject } from 'typebox'
import { observeWrites } from '../../db/observed-writes.ts'
import { isForeignKeyViolation } from '../../db/violations.ts'
import type { Caller } from '../../domain/access/callers.ts'
import { type PermissionRow, permissions } from '../../domain/access/permissions.ts'
import type { RootDeps } from '../../domain/deps.ts'
import { metadataStripper, temporaryFolder } from '../../domain/files/strip-metadata.ts'
import type { Page } from '../../domain/page.ts'
import { Failure, forbidden, notFound, parameterProblem, tooLarge, unauthenticated } from '../../platform/failure.ts'
import { metricsContentType } from '../../platform/metrics.ts'
import type { ReceivedFile } from '../../platform/object-store/objects.ts'
import { receiveFile } from '../../platform/object-store/receive.ts'
import { isBug, isOutage, mayHaveCommitted, withOutcome } from '../errors.ts'
import type { CountRequest, Found, Guard } from '../guard.ts'
import { type Bag, emptyBag, mergeBags, parseUrlencoded } from '../params/bag.ts'
import {
  assertAnnouncedLength,
  type BodyKind,
  type BodyOptions,
  bodyKind,
  maxTextBytes as defaultMaxTextBytes,
  maxSmallTextBytes,
  mayHoldFile,
  mediaType,
  readBody,
  textLimit,
} from '../params/body.ts'
import { compileInput, filePartNames } from '../params/compile-input.ts'
import type { FilePart } from '../params/multipart/multipart.ts'
import { assertKnownFilters } from '../params/unknown-filters.ts'
import { type Download, sendDownload } from '../response/download.ts'
import { type KeysetPage, keysetHeaders, pageHeaders, pageProperties, readPage } from '../response/pages.ts'
import { type Rendered, render, sendError, sendNothing, sendRendered } from '../response/render.ts'
import { addressOf, type FileLimit, isFileOutput, metricsOutput, noOutput, type Route } from '../route.ts'
import { logAudit, noteUser } from './audit.ts'
import { readCookie } from './cookies.ts'
import { hasCredentials, hasSecret, readCredentials, readSudo, sessionHeader, withSudo } from './credentials.ts'
import { openExecuteOnce } from './idempotency.ts'
import { isLocalClient } from './local-client.ts'
import { originOf } from './origin.ts'
import { openResponseCache, type ResponseCache } from './response-cache.ts'
import type { Throttle } from './throttle.ts'

/** Answers one request to one route, from the first header to the last byte. Never throws. */
export type Answerer = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

/** The order of the steps is the policy of contract 1.5: who, then what he sent, then whether he may. */
export function createAnswerer(deps: RootDeps, guard: Guard, throttle: Throttle, route: Route): Answerer {
  const row: PermissionRow = permissions[route.permission]
  const schema = inputSchema(route)
  const readInput = compileInput(schema)
  const fileFields = filePartNames(schema)
  const isUpload = !route.rawFile && fileFields.some((name) => schema.required?.includes(name))
  const stringify = serialiserOf(route.output as object) // a schema is an object
  const responses = route.remember && openResponseCache(deps, route.remember)
  const maxFileBytes = route.fileLimit ? (route.mostFileBytes?.(deps.settings) ?? deps.settings.maxUploadBytes) : 0
  const maxTextBytes = route.maxTextBytes ?? (route.outside ? maxSmallTextBytes : defaultMaxTextBytes)
  const stripMetadata = metadataStripper(temporaryFolder(deps.settings))
  const idPlace = addressOf(route).split('/').indexOf(':id')
  const isPrivate = privateNouns.has(route.permission.split('.')[0] ?? '')
  const hasOrganization = 'organization_id' in schema.properties
  const executeOnce = openExecuteOnce(deps, guard, route)

  return async (request, reply) => {
    const effects: Effects = { files: [], hasCommitted: false }
    const { files } = effects
    try {
      await answer(request, reply, effects)
      await removeUnkept(files)
      limitUnreadBody(request)
    } catch (error) {
      if (isBug(error)) request.log.error({ err: error }, 'request failed')
      // In doubt the objects stay: one without a row is swept, a row without one is damage.
      if (!mayHaveCommitted(error)) await removeUnkept(files)
      if (isOutage(error)) request.log.error({ err: error }, 'request refused for now')
      if (!reply.sent) sendError(request, reply, isRead(request) ? error : withOutcome(error, effects.hasCommitted))
      limitUnreadBody(request)
    }
  }

  async function answer(request: FastifyRequest, reply: FastifyReply, effects: Effects): Promise<void> {
    const { files } = effects
    const isReading = isRead(request)
    // No client of GitLab sends what is outside /api/v4, where a query would hold passwords.
    const query = route.outside && !isReading ? emptyBag() : queryOf(request)
    const kind = kindOf(request)
    const admit = (caller: Caller | null) =>
      guard.admit(route.permission, caller, id).catch((error: unknown) => {
        throw isReading && isMoved(error) ? leadOn(error, request) : error
      })
    if (route.outside && !isReading) assertSameOrigin(request, originOf(deps, request))
    assertAnnouncedLength(request, kind, { maxFileBytes, maxTextBytes })
    // Below /api/ the header shows that a page of ours asks: others' forms and pictures cannot send it.
    const isCookieRead = route.outside ? row.session === true : request.headers[sessionHeader] === '1'
    const origin = originOf(deps, request)
    const options = { isReading, isCookieRead, address: addressFrom(request), isLocal: isLocalClient(request), origin }
    let credentials = readCredentials(request.headers, options, query)
    // A form may hold the token. A large one is read only after its headers have shown who sends it.
    const isReadFirst = kind === 'urlencoded' && (isSmall(request) || !hasCredentials(credentials))
    const form = isReadFirst ? await readBody(request, kind, optionsFor(files, null)) : undefined
    if (form) credentials = readCredentials(request.headers, options, query, form)
    if (credentials.session && !route.outside) assertSameOrigin(request, origin)
    const count: CountRequest = (user) => {
      noteUser(request, user)
      return throttle.admit(route, request, reply, user)
    }
    let caller = await guard.identify(route.permission, credentials, count)
    if (isPrivate) reply.header('cache-control', 'no-store')
    const params = paramsOf(request)
    const id = typeof params['id'] === 'string' ? params['id'] : undefined
    await guard.sight(route.permission, caller, id)

    // A large body is only stored for somebody who may send it; whether he may hear 400 first is up to the row.
    let found: Found | Failure | undefined
    if (mayHoldFile(kind)) found = await admit(caller).catch(failureOnly)
    if (found instanceof Failure && row.anonymous !== 'after-input') throw found
    const limit = found && !(found instanceof Failure) ? await route.fileLimit?.(deps, found) : undefined
    const body =
      form ??
      (await readBody(request, takenKind(kind), optionsFor(files, caller, limit)).catch((error: unknown) => {
        throw isTooLarge(error) && !caller && row.who !== 'anyone' ? unauthenticated() : error
      }))
    // Whom to act for, and in a large form the token, are known only after the body has been read.
    const { token, sudo } = credentials
    if (kind === 'urlencoded') credentials = readCredentials(request.headers, options, query, body)
    else credentials = withSudo(credentials, readSudo(body['sudo'], sudo))
    if (credentials.sudo !== sudo || credentials.token !== token) {
      caller = await guard.identify(route.permission, credentials, credentials.token === token ? undefined : count)
      found = undefined
    }
    const bag = inOrganization(mergeBags(query, body, params), request)
    if (route.unknownFilters) assertKnownFilters(route.unknownFilters, query, schema)
    const input = readInput(bag)
    if (found instanceof Failure) throw found
    found ??= await admit(caller)

    const observed = isReading ? deps : { ...deps, db: observeWrites(deps.db, committing(effects)) }
    const call = { request, reply, caller, found, input, bag, deps: observed, headers: {} }
    if (route.check) await route.check(contextOf(call))
    try {
      await (responses && !hasSecret(query) ? sendCached(call, responses) : handle(call))
    } catch (error) {
      if (!isForeignKeyViolation(error)) throw error
      // What the request refers to was deleted after the guard saw it. Asked again, the guard says what.
      request.log.warn({ err: error }, 'deleted meanwhile')
      await admit(await guard.identify(route.permission, credentials))
      throw notFound()
    }
  }

  /** Who asks for what has moved hears where it is: at the same address, with its id in place of the old path. */
  function leadOn({ cause }: MovedFailure, request: FastifyRequest): Failure {
    const segments = pathOf(request).split('/')
    segments[idPlace] = String(cause.id)
    const [, ...query] = (request.raw.url ?? '').split('?')
    const address = [segments.join('/'), ...query].join('?')
    return new Failure({ ...cause, location: originOf(deps, request) + address })
  }

  async function sendCached(call: Call, responses: ResponseCache): Promise<void> {
    const { request, reply, found, bag } = call
    const key = {
      origin: originOf(deps, request),
      url: request.raw.url ?? '',
      organizationId: bag['organization_id'],
      found,
    }
    const rendered = await responses.get(key, () => renderAnswer(call))
    reply.headers(call.headers)
    sendRendered(request, reply, rendered)
  }

  async function handle(call: Call): Promise<void> {
    const { request, reply } = call
    if (isFileOutput(route.output)) {
      const download = (await resultOf(call)) as Download // what such an output stands for
      await sendDownload(reply.headers(call.headers), request, download)
    } else if (route.output === metricsOutput) {
      reply.header('content-type', metricsContentType).send(await resultOf(call))
    } else {
      const { rendered, headers } = await executeOnce(call, (deps) => respond({ ...call, deps }))
      reply.headers(headers)
      if (rendered) sendRendered(request, reply, rendered)
      else sendNothing(reply, route.status)
    }
  }

  async function respond(call: Call) {
    if (route.output !== noOutput) return { rendered: await renderAnswer(call), headers: call.headers }
    await resultOf(call)
    return { rendered: undefined, headers: call.headers }
  }

  async function renderAnswer(call: Call): Promise<Rendered> {
    const result = await resultOf(call)
    if (!route.paged) {
      const isUnfinished = route.isUnfinished?.(result as never) // what `output` stands for
      return render(isUnfinished ? 202 : route.status, stringify(result))
    }
    const list = result as Page<unknown> | KeysetPage<unknown> // `paged` routes return one
    const url = originOf(deps, call.request) + pathOf(call.request)
    const parameters = { ...call.bag, ...call.input }
    const { page, perPage } = readPage(pageOf(call.input))
    const { rows, ...end } = list
    const headers =
      'next' in end
        ? keysetHeaders({ perPage, url, parameters, ...end })
        : pageHeaders({ page, perPage, url, parameters, rowCount: rows.length, ...end })
    return render(route.status, stringify(rows), headers)
  }

  async function resultOf(call: Call): Promise<unknown> {
    const result = await route.handle(contextOf(call))
    if (route.audit) logAudit(call.request, route.audit, { ...call, result })
    return result
  }

  function contextOf({ request, caller, found, input, deps, headers }: Call): never {
    const origin = originOf(deps, request)
    const page = route.paged ? readPage(pageOf(input)) : undefined
    const unmodifiedSince = dateHeader(request.headers['if-unmodified-since'])
    const client = {
      address: addressFrom(request),
      userAgent: request.headers['user-agent'],
      browser: readCookie(request.headers.cookie, 'alcove_browser', origin),
    }
    const context = { deps, caller, ...found, input, origin, page, unmodifiedSince, client, headers }
    return context as never // what the permission's row promises
  }

  /** Where an organization can be named, the header names it for whoever does not. */
  function inOrganization(bag: Bag, { headers }: FastifyRequest): Bag {
    const named = headers['x-gitlab-organization-id']
    if (!hasOrganization || bag['organization_id'] !== undefined || !/^\d{1,15}$/.test(String(named))) return bag
    return mergeBags(emptyBag(), bag, { organization_id: String(named) })
  }

  function kindOf(request: FastifyRequest): BodyKind {
    const kind = bodyKind(request)
    if (!route.rawFile || request.headers['content-length'] === '0') return kind
    return route.rawFile.includes(mediaType(request)) ? 'file' : kind // clients announce JSON on requests without a body
  }

  /** Raw bodies of any type are sent to an upload by mistake; GitLab answers that the file is missing. */
  function takenKind(kind: BodyKind): BodyKind {
    return kind === 'other' && isUpload ? 'none' : kind
  }

  /** Without a limit no file is stored, because the caller may not send one. */
  function optionsFor(files: ReceivedFile[], caller: Caller | null, limit?: FileLimit): BodyOptions {
    const maxText = caller ? maxTextBytes : Math.min(maxTextBytes, maxSmallTextBytes)
    const sentence = limit?.sentence ?? (caller ? undefined : anonymousTextLimit)
    const maxBytes = limit?.maxBytes ?? 0
    return {
      fileFields: limit ? fileFields : [],
      maxFileBytes: limit || !caller ? maxBytes : maxFileBytes,
      maxTextBytes: maxText,
      ...(sentence !== undefined && { sentence }),
      async receive({ filename, content }: FilePart) {
        const newKey = () => `files/${deps.random(16).toString('hex')}`
        const options = { filename, maxBytes, newKey, transform: stripMetadata }
        const file = await receiveFile(deps.objects, content, options).catch((error: unknown) => {
          throw isTooLarge(error) ? tooLarge(sentence) : error
        })
        files.push(file)
        return file
      },
      discard: (file) => deps.objects.remove(file.key),
    }
  }

  /** What cannot be removed now is an object without a row: the sweep takes it. */
  async function removeUnkept(files: ReceivedFile[]): Promise<void> {
    await Promise.allSettled(files.filter(({ kept }) => !kept).map(({ key }) => deps.objects.remove(key)))
  }
}

/** What a request has done that outlives it. */
interface Effects {
  files: ReceivedFile[]
  hasCommitted: boolean
}

function committing(effects: Effects) {
  return {
    onCommit() {
      effects.hasCommitted = true
    },
  }
}

function isRead({ method }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD'
}

/** Permissions whose responses show credentials or the data of an account. */
const privateNouns = new Set(['session', 'password', 'token', 'impersonation', 'self', 'user'])

interface Call {
  request: FastifyRequest
  reply: FastifyReply
  caller: Caller | null
  found: Found
  input: Record<string, unknown>
  bag: Bag
  deps: RootDeps
  /** Set by the handler, sent with the response. */
  headers: Record<string, string | string[]>
}

type Serialiser = ReturnType<typeof fastJson>

const serialisers = new WeakMap<object, Serialiser>()

/** Compiling takes most of a server's start: routes that answer alike share one, and so do the servers of a process. */
function serialiserOf(schema: object): Serialiser {
  const known = serialisers.get(schema)
  if (known) return known
  const serialiser = fastJson(schema)
  serialisers.set(schema, serialiser)
  return serialiser
}

const anonymousTextLimit = `${textLimit(maxSmallTextBytes)} unless its headers hold a token`

/** Small enough to be read from an unknown sender; false when the length is not announced. */
function isSmall({ headers }: FastifyRequest): boolean {
  return Number(headers['content-length']) <= maxSmallTextBytes
}

/** Of a route with `paged`, whose input always has both. */
function pageOf(input: Record<string, unknown>): { page: number; per_page: number } {
  return { page: Number(input['page']), per_page: Number(input['per_page']) }
}

function inputSchema(route: Route): TObject {
  const own = route.input ?? Type.Object({})
  if (!route.paged) return own
  // `exclusive` and the like stand beside the properties and are kept.
  const { properties, type: _type, required: _required, ...keywords } = own as TObject & Record<string, unknown>
  return Type.Object({ ...properties, ...pageProperties }, keywords)
}

function queryOf(request: FastifyRequest): Bag {
  const url = request.raw.url ?? ''
  const question = url.indexOf('?')
  return question < 0 ? emptyBag() : parseUrlencoded(url.slice(question + 1))
}

/** Strings by name: Fastify decoded the path. Nothing is named with a NUL, and no database takes one. */
function paramsOf(request: FastifyRequest): Bag {
  const params = request.params as Bag // texts by name
  for (const name in params) if (String(params[name]).includes('\0')) throw parameterProblem(`${name} is invalid`)
  return params
}

/** As it is usually written, also where the socket takes both kinds. */
function addressFrom({ ip }: FastifyRequest): string {
  return ip.replace(/^::ffff:(?=[\d.]+$)/i, '')
}

/** Proxies may ask for a whole address, of which the origin is left out here. */
function pathOf(request: FastifyRequest): string {
  const [path = ''] = (request.raw.url ?? '').split('?', 1)
  return path.replace(/^https?:\/\/[^/]*/i, '')
}

function dateHeader(value: string | undefined): number | undefined {
  const time = Date.parse(value ?? '')
  return Number.isNaN(time) ? undefined : time
}

/** Where a cookie counts, another site's page must not be able to change anything. */
function assertSameOrigin({ headers }: FastifyRequest, origin: string): void {
  if (headers.origin !== undefined && headers.origin !== new URL(origin).origin) throw forbidden()
}

function isTooLarge(error: unknown): boolean {
  return error instanceof Failure && error.cause.kind === 'too-large'
}

type MovedFailure = Failure & { cause: { kind: 'moved' } }

function isMoved(error: unknown): error is MovedFailure {
  return error instanceof Failure && error.cause.kind === 'moved'
}

function failureOnly(error: unknown): Failure {
  if (error instanceof Failure) return error
  throw error
}

const maxUnreadBytes = 64 * 1024 * 1024
const maxUnreadMs = 10_000
/** Reading a chunk of one byte costs as much as reading this many bytes. */
const chunkCostBytes = 1024

/** Lets a client that is still sending read the response first, but neither send for ever nor in tiny chunks. */
function limitUnreadBody({ raw }: FastifyRequest): void {
  if (raw.complete) return
  let left = maxUnreadBytes
  const timer = setTimeout(() => raw.destroy(), maxUnreadMs).unref()
  raw.on('data', (chunk: Buffer) => {
    left -= chunk.length + chunkCostBytes
    if (left < 0) raw.destroy()
  })
  raw.once('close', () => clearTimeout(timer))
  raw.resume()
}
