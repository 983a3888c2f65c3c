import Type, { type TObject, type TSchema } from 'typebox'
import type { Caller, Client } from '../domain/access/callers.ts'
import type { Permission } from '../domain/access/permissions.ts'
import type { RootDeps } from '../domain/deps.ts'
import type { PageRequest } from '../domain/page.ts'
import type { RateLimit, Settings } from '../platform/settings/settings.ts'
import type { Found } from './guard.ts'
import type { UnknownFilters } from './params/unknown-filters.ts'
import type { Audit } from './pipeline/audit.ts'
import type { Download } from './response/download.ts'

/** Route for the server and the OpenAPI generator. `api/v4/route.ts` adds types of input, output and resources. */
export interface Route {
  method: Method
  /** Below /api/v4, unless `base` or `outside` says otherwise. */
  path: string
  /** Prefix of a path of the API that is not below /api/v4. */
  base?: '/api'
  /** True for the few paths outside the API. */
  outside?: boolean
  summary: string
  /** True for a former path, which keeps working. */
  isDeprecated?: true
  permission: Permission
  input?: TObject
  status: number
  /** Whether the result describes work in progress, which is sent with status 202. */
  isUnfinished?: (result: unknown) => boolean
  /** Defines both the serialisation and the OpenAPI document; see also `fileOutput` and `noOutput`. */
  output: TSchema
  /** The route checks a password or the secret of a link, so its requests are limited per client address. */
  limitsGuesses?: true
  /** GitLab's own rate limit of this endpoint. */
  rateLimit?: EndpointLimit
  /** The security event logged after a success. */
  audit?: Audit
  /** The response is one page of a list: adds `page`, `per_page` and the pagination headers. */
  paged?: boolean
  /** Absent: unknown query parameters are ignored, as GitLab does. */
  unknownFilters?: UnknownFilters
  /** The shape of responses to requests with a certain query parameter, for the documentation. */
  alternative?: { parameter: string; output: TSchema }
  /** Maximum size of a file, computed after authorization. Absent: the route accepts no file. */
  fileLimit?(deps: RootDeps, context: ResourceContext): FileLimit | Promise<FileLimit>
  /** Maximum text in a body. Absent: 4 MiB below /api/v4, 64 KiB outside. Anonymous requests are limited to 64 KiB. */
  maxTextBytes?: number
  /** Reads a raw body as an empty form, as GitLab's upload routes do: `file is missing`. Absent: it is refused with 415. */
  ignoresRawBody?: true
  /** Media types of a body that is the file itself, without a form; all other parameters are in the query. */
  rawFile?: readonly string[]
  /**
   * The handler receives the body as bytes in `raw`, whatever its type, to verify its signature. Parameters are in the
   * path only. The limit is `maxTextBytes`, also for anonymous requests.
   */
  rawBody?: true
  /** Media type of a body that the handler reads while it arrives, with `raw.stream`, and whose size it limits. */
  streamedBody?: string
  /** Upper bound of `fileLimit`. Absent: the maximum size of an upload. */
  maxFileBytes?: (settings: Settings) => number
  /**
   * Tables that the response depends on. It is cached by URL and resource until one of them changes; so it must not
   * depend on anything else, such as the caller without `isPerCaller`.
   */
  cacheTables?: readonly string[]
  /** Caches the response for each caller, because it depends on their account, rights and access level. */
  isPerCaller?: true
  /** Whether the response to this input depends on the caller after all, so it is neither cached nor shared. */
  isPersonal?(context: Pick<RouteContext, 'deps' | 'input'>): boolean
  /** The permission to read the created resource, checked again before a stored response is repeated. */
  creates?: Permission
  /** Creates the resource of the path, if the caller can see none and the request asks for it. */
  createMissing?: CreateMissing
  /** Body of an error response, except 429 and 5xx. Absent: one of GitLab's shapes for REST. */
  viewError?: (message: string) => object
  /** Checks the caller before the handler runs or a cached response is sent. Throws to refuse. */
  check?(context: RouteContext): Promise<void>
  handle(context: RouteContext): Promise<unknown>
}

export interface CreateMissing {
  /** Name of the flag with which a request asks for it. */
  parameter: string
  /** Throws unless the caller may create the resource. Runs before the body is read. */
  assertPermitted(deps: RootDeps, caller: Caller, reference: string): Promise<void>
  /** Returns false when another request has created the resource. */
  create(context: CreationContext): Promise<boolean>
}

export interface CreationContext {
  deps: RootDeps
  caller: Caller
  reference: string
  input: Record<string, unknown>
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The caller's access level, and the resources of the path by their kinds, which only the route's types name. */
export interface ResourceContext {
  level?: number | undefined
  /** True when this request has created the resource. */
  isNew?: boolean | undefined
}

/** The context of a handler whose permission is not known at compile time. */
export interface RouteContext extends ResourceContext {
  deps: RootDeps
  caller: Caller | null
  input: Record<string, unknown>
  /** `https://host` of links in the response: the configured external URL, or the host of the request. */
  origin: string
  /** The requested page, on routes with `paged`. */
  page: PageRequest | undefined
  /** The client's address and browser. */
  client: Client
  /** The header `If-Unmodified-Since`, in ms; absent when it is not sent or not a date. */
  unmodifiedSince: number | undefined
  /** The request as it was sent; its body is empty except on routes with `rawBody`. */
  raw: RawRequest
  /** Response headers that the handler sets. */
  headers: Record<string, string | string[]>
  /** Checks another permission of the caller, for a route whose input names resources. Throws as the guard does. */
  permit(permission: Permission, id?: string): Promise<Found>
  /** Adds fields to the request's line in the log. */
  note(fields: Record<string, string>): void
}

/** Headers and body of a request, as its sender has signed them. */
interface RawRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: Buffer
  /** Reads the body on a route with `streamedBody`. It fails when the connection breaks. */
  stream(): AsyncIterable<Buffer>
}

/** Rate limit of one endpoint: for each user, and for each address of anonymous requests. */
export interface EndpointLimit {
  user: RateLimit
  anonymous?: RateLimit
  /** True when administrators are exempt. */
  exemptsAdmins?: true
}

/** Returns the same limit for users and for addresses. */
export function perMinute(requests: number): EndpointLimit {
  const limit = { requests, periodSeconds: 60 }
  return { user: limit, anonymous: limit }
}

/** Maximum size of a file and the message for a larger one. */
export interface FileLimit {
  maxBytes: number
  sentence: string
}

/** The output of a route that sends a file. */
export const fileOutput = Type.Unsafe<Download>({ type: 'string', format: 'binary' })
/** The output of a route that sends a file or, where the operator allows it, redirects to the file in the bucket. */
export const redirectableFileOutput = Type.Unsafe<Download>({ type: 'string', format: 'binary' })
/** Whether a route with this output answers with a file. */
export const isFileOutput = (output: TSchema): boolean => output === fileOutput || output === redirectableFileOutput
/** The output of the route that sends metrics in the Prometheus text format. */
export const metricsOutput = Type.Unsafe<string>({ type: 'string' })
/** The output of a route without a response body (204). */
export const noOutput = Type.Unsafe<void>({})

/** Returns the full path of a route, with its parameters as `:name`. */
export function addressOf({ path, base, outside }: Pick<Route, 'path' | 'base' | 'outside'>): string {
  return outside ? path : `${base ?? '/api/v4'}${path}`
}
