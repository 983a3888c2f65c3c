import Type, { type Static, type TObject, type TSchema } from 'typebox'
import type { Caller } from '../domain/access/callers.ts'
import type { Permission, permissions } from '../domain/access/permissions.ts'
import type { RootDeps } from '../domain/deps.ts'
import type { Namespace } from '../domain/namespaces/namespace.ts'
import type { Page, PageRequest } from '../domain/page.ts'
import type { Project } from '../domain/projects/project.ts'
import type { Client } from '../domain/sign-in/sign-in.ts'
import type { Vulnerability } from '../domain/vulnerabilities/vulnerability.ts'
import type { Settings } from '../platform/settings.ts'
import type { Found } from './guard.ts'
import type { UnknownFilters } from './params/unknown-filters.ts'
import type { Audit } from './pipeline/audit.ts'
import type { Download } from './response/download.ts'
import type { KeysetPage } from './response/pages.ts'

type Rows = typeof permissions
type Row<P extends Permission> = Rows[P]

/** The resource that the permission's row provides to the handler. A union of permissions gives a union. */
type FoundBy<P extends Permission> = P extends Permission
  ? Row<P>['on'] extends 'project'
    ? { project: Project; level: number; caller: CallerOf<P> }
    : Row<P>['on'] extends 'group'
      ? { group: Namespace; level: number; caller: CallerOf<P> }
      : Row<P>['on'] extends 'vulnerability'
        ? { vulnerability: Vulnerability; project: Project; caller: CallerOf<P> }
        : { caller: CallerOf<P> }
  : never

/** Anonymous requests reach only the rows that are open to anyone. */
type CallerOf<P extends Permission> = Row<P>['who'] extends 'anyone' ? Caller | null : Caller

type Context<P extends Permission, I extends TObject> = FoundBy<P> & {
  deps: RootDeps
  input: Static<I>
  /** `https://host` of links in the response: the configured external URL, or the host of the request. */
  origin: string
  /** The requested page, on routes with `paged`. */
  page: PageRequest
  /** The client's address and browser. */
  client: Client
  /** The header `If-Unmodified-Since`, in ms; absent when it is not sent or not a date. */
  unmodifiedSince: number | undefined
  /** Response headers that the handler sets. */
  headers: Record<string, string | string[]>
}

/** `output` defines both the serialisation and the OpenAPI document; see also `fileOutput` and `noOutput`. */
export interface RouteDefinition<P extends Permission, I extends TObject, O extends TSchema> {
  method: Method
  /** Below /api/v4, unless `outside` says otherwise. */
  path: string
  /** True for the few paths outside /api/v4. */
  outside?: boolean
  summary: string
  permission: P
  input?: I
  status: number
  /** Whether the result describes work in progress, which is sent with status 202. */
  isUnfinished?: (answer: Static<O>) => boolean
  output: O
  /** The route checks a password or the secret of a link, so its requests are limited per client address. */
  limitsGuesses?: true
  /** The security event logged after a success. */
  audit?: Audit
  /** The response is one page of a list: adds `page`, `per_page` and the pagination headers. */
  paged?: boolean
  /** Absent: unknown query parameters are ignored, as GitLab does. */
  unknownFilters?: UnknownFilters
  /** Maximum size of a file, computed after authorization. Absent: the route accepts no file. */
  fileLimit?: (deps: RootDeps, found: Found) => FileLimit | Promise<FileLimit>
  /** Maximum text in a body. Absent: 4 MiB below /api/v4, 64 KiB outside. Anonymous requests are limited to 64 KiB. */
  maxTextBytes?: number
  /** Media types of a body that is the file itself, without a form; all other parameters are in the query. */
  rawFile?: readonly string[]
  /** Upper bound of `fileLimit`. Absent: the maximum size of an upload. */
  maxFileBytes?: (settings: Settings) => number
  /**
   * Tables that the response depends on. It is cached by URL and resource until one of them changes; so it must not
   * depend on anything else, such as the caller.
   */
  cacheTables?: readonly string[]
  /** The permission to read the created resource, checked again before a stored response is repeated. */
  creates?: Permission
  /** Checks the caller before the handler runs or a cached response is sent. Throws to refuse. */
  check?(context: Context<P, I>): Promise<void>
  handle(context: Context<P, I>): Promise<Answer<O>>
}

/** Maximum size of a file and the message for a larger one. */
export interface FileLimit {
  maxBytes: number
  sentence: string
}

/** The result of a handler: for a list either one page or all of it. */
type Answer<O extends TSchema> = Static<O> extends (infer Item)[] ? Page<Item> | KeysetPage<Item> | Item[] : Static<O>

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

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** The context of a handler whose permission is not known at compile time. */
export interface RouteContext extends Found {
  deps: RootDeps
  caller: Caller | null
  input: Record<string, unknown>
  origin: string
  page: PageRequest | undefined
  client: Client
  unmodifiedSince: number | undefined
  headers: Record<string, string | string[]>
}

/** A route without the types of its input and output, as the server and the OpenAPI generator hold it. */
export type Route = Omit<RouteDefinition<Permission, TObject, TSchema>, 'handle' | 'check' | 'isUnfinished'> & {
  check?(context: RouteContext): Promise<void>
  handle(context: RouteContext): Promise<unknown>
  isUnfinished?: (result: unknown) => boolean
}

export function route<P extends Permission, I extends TObject, O extends TSchema>(
  definition: RouteDefinition<P, I, O>,
): Route {
  return definition as unknown as Route // the guard provides exactly the context that the permission's row promises
}

/** Returns the full path of a route, with its parameters as `:name`. */
export function addressOf(route: Route): string {
  return route.outside ? route.path : `/api/v4${route.path}`
}
