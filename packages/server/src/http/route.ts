import Type, { type Static, type TObject, type TSchema } from 'typebox'
import type { Caller } from '../domain/access/callers.ts'
import type { Permission, permissions } from '../domain/access/permissions.ts'
import type { RootDeps } from '../domain/deps.ts'
import type { Page, PageRequest } from '../domain/page.ts'
import type { Namespace, Project } from '../domain/projects/project.ts'
import type { Client } from '../domain/sign-in/sign-in.ts'
import type { Vulnerability } from '../domain/vulnerabilities/finding.ts'
import type { Settings } from '../platform/settings.ts'
import type { Found } from './guard.ts'
import type { UnknownFilters } from './params/unknown-filters.ts'
import type { Audit } from './pipeline/audit.ts'
import type { Download } from './response/download.ts'
import type { KeysetPage } from './response/pages.ts'

type Rows = typeof permissions
type Row<P extends Permission> = Rows[P]

/** What a permission's row puts into the handler; for one of several rows, one of several things. */
type FoundBy<P extends Permission> = P extends Permission
  ? Row<P>['on'] extends 'project'
    ? { project: Project; level: number; caller: CallerOf<P> }
    : Row<P>['on'] extends 'group'
      ? { group: Namespace; level: number; caller: CallerOf<P> }
      : Row<P>['on'] extends 'vulnerability'
        ? { vulnerability: Vulnerability; project: Project; caller: CallerOf<P> }
        : { caller: CallerOf<P> }
  : never

/** Nobody may call a row open to anyone; everywhere else there is somebody. */
type CallerOf<P extends Permission> = Row<P>['who'] extends 'anyone' ? Caller | null : Caller

type Context<P extends Permission, I extends TObject> = FoundBy<P> & {
  deps: RootDeps
  input: Static<I>
  /** `https://host` that links in the answer begin with: the configured one, or the one the client asked. */
  origin: string
  /** For routes with `paged`: which page. */
  page: PageRequest
  /** Where the connection comes from. */
  client: Client
  /** The header `If-Unmodified-Since`, in ms; absent when it is not sent or not a date. */
  unmodifiedSince: number | undefined
  /** Sent with the answer; for what no body can say. */
  headers: Record<string, string | string[]>
}

/** `output` is what the answer is serialised by and what the OpenAPI document says; see also `fileOutput`, `noOutput`. */
export interface RouteDefinition<P extends Permission, I extends TObject, O extends TSchema> {
  method: Method
  /** Below /api/v4, unless `outside` says otherwise. */
  path: string
  /** True for the few addresses that are not below /api/v4. */
  outside?: boolean
  summary: string
  permission: P
  input?: I
  status: number
  /** Whether an answer of this route says that the work is still going on: it is sent with 202. */
  isUnfinished?: (answer: Static<O>) => boolean
  output: O
  /** Takes a password or the secret of a link, so its requests are limited for each address. */
  limitsGuesses?: true
  /** The security event that is logged when the route has succeeded. */
  audit?: Audit
  /** The answer is a list of which this is one page: adds `page` and `per_page` and the headers. */
  paged?: boolean
  /** Absent: unknown query parameters are ignored, as GitLab does. */
  unknownFilters?: UnknownFilters
  /** How large a file may be here, once the guard has let the caller through. Without it no file is taken. */
  fileLimit?: (deps: RootDeps, found: Found) => FileLimit | Promise<FileLimit>
  /** Limit for the text of a body; absent: 4 MiB below /api/v4, 64 KiB outside. Anonymous requests have 64 KiB at most. */
  maxTextBytes?: number
  /** Media types of a body that is the route's only file, without a form around it; the rest stands in the query. */
  rawFile?: readonly string[]
  /** The most that `fileLimit` may say; absent: the largest upload. */
  mostFileBytes?: (settings: Settings) => number
  /**
   * The answer depends on these tables, the address and the resource, and on nothing else (not on the caller, once he
   * is let through), so it may be remembered until one of them changes.
   */
  remember?: readonly string[]
  /** What reads the thing whose id the response has, where no `:id` names it: checked before a stored response is repeated. */
  creates?: Permission
  /** Refuses callers before an answer is made, or a remembered one is shown, which does not know whom it is for. */
  check?(context: Context<P, I>): Promise<void>
  handle(context: Context<P, I>): Promise<Answer<O>>
}

/** What a file is measured by, and what is said of one that is larger. */
export interface FileLimit {
  maxBytes: number
  sentence: string
}

/** A list is answered as the page of it that was asked for, or whole. */
type Answer<O extends TSchema> = Static<O> extends (infer Item)[] ? Page<Item> | KeysetPage<Item> | Item[] : Static<O>

/** The output of a route that answers with a file's bytes. */
export const fileOutput = Type.Unsafe<Download>({ type: 'string', format: 'binary' })
/** The same where the answer may be the address of the bytes, because the operator lets clients fetch them there. */
export const redirectableFileOutput = Type.Unsafe<Download>({ type: 'string', format: 'binary' })
/** Whether a route with this output answers with a file. */
export const isFileOutput = (output: TSchema): boolean => output === fileOutput || output === redirectableFileOutput
/** The output of a route that answers plain text, in Prometheus’ format. */
export const metricsOutput = Type.Unsafe<string>({ type: 'string' })
/** The output of a route that answers 204. */
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

/** The path it is reached at, with its parameters as `:name`. */
export function addressOf(route: Route): string {
  return route.outside ? route.path : `/api/v4${route.path}`
}
