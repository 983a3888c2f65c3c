import { failureFrom, RequestFailed } from './failure.ts'
import type { Operations } from './operations.ts'

export { failureFrom, RequestFailed, readFailure, type StateConflict } from './failure.ts'
export type { Operations, Schemas } from './operations.ts'

export type Operation = keyof Operations
export type ResponseOf<O extends Operation> = Operations[O]['response']
/** The operations that return a list. */
export type ListOperation = { [O in Operation]: ResponseOf<O> extends unknown[] ? O : never }[Operation]
/** The operations that return a file. */
export type FileOperation = { [O in Operation]: ResponseOf<O> extends Blob ? O : never }[Operation]
export type RowOf<O extends ListOperation> = ResponseOf<O> extends (infer Row)[] ? Row : never

type Part<O extends Operation, P extends string> = Operations[O] extends { [key in P]: infer Value } ? Value : never
export type BodyOf<O extends Operation> = Part<O, 'body'>
export type QueryOf<O extends Operation> = Part<O, 'query'>

/** Path, query and body of an operation. Other properties are type errors. */
export type Request<O extends Operation> = (Operations[O] extends { path: infer Path }
  ? { path: Path }
  : { path?: undefined }) &
  (Operations[O] extends { query: infer Query } ? { query?: Query } : { query?: undefined }) &
  (Operations[O] extends { body: infer Body } ? { body?: Body } : { body?: undefined })

/** One page of a list. `total` is undefined where the server does not count (above 10,000 rows). */
export interface Page<Row> {
  rows: Row[]
  total: number | undefined
  hasNext: boolean
  /** Cursor of the next page, for lists with keyset pagination. */
  cursor: string | undefined
}

export interface Client {
  /** Sends a request. Throws `RequestFailed` for any response that is not a success. */
  call<O extends Operation>(operation: O, request: Request<O>, options?: CallOptions): Promise<ResponseOf<O>>
  page<O extends ListOperation>(operation: O, request: Request<O>, signal?: AbortSignal): Promise<Page<RowOf<O>>>
  /** Returns a file unchanged, or its first `maxBytes`. Unlike `call`, it does not parse JSON. */
  file<O extends FileOperation>(operation: O, request: Request<O>, options?: FileOptions): Promise<Blob>
  /** Returns the URL of a request, for callers that send it themselves. */
  address<O extends Operation>(operation: O, request: Request<O>): string
}

export interface CallOptions {
  signal?: AbortSignal
  /** Makes a POST safe to repeat: the same key with the same request gets the first response again. */
  idempotencyKey?: string
}

export interface FileOptions {
  signal?: AbortSignal
  maxBytes?: number
}

export interface ClientOptions {
  /** Origin of the server. Default: the origin of the page. */
  origin?: string
  headers?: Record<string, string>
  /** Sends the requests. Default: the global `fetch`. */
  fetch?: typeof fetch
  /**
   * Cache for the latest responses to GET requests, which are revalidated with `If-None-Match`. Browsers do not cache
   * them, because the server sends `no-store` to signed-in users.
   */
  cache?: Map<string, CachedResponse>
}

export interface CachedResponse {
  etag: string
  body: unknown
}

/** Maximum number of cached responses. */
const maxCached = 24

/** Creates a client of the API, typed by the OpenAPI document. It sends cookies to its own origin only. */
export function createClient({
  origin = '',
  headers = {},
  cache,
  fetch = globalThis.fetch,
}: ClientOptions = {}): Client {
  /** Sends a request. The headers are those of this response, even when the body comes from the cache. */
  async function get(operation: Operation, request: Loose, options: CallOptions = {}) {
    const url = address(operation, request)
    const known = cache?.get(url)
    const response = await send(operation, request, { ...options, ...(known && { etag: known.etag }) })
    if (response.status === 304 && known) return { response, body: known.body }
    const body = await read(response)
    const etag = response.headers.get('etag')
    cache?.delete(url)
    if (etag && operation.startsWith('GET ') && !(body instanceof Blob)) cache?.set(url, { etag, body })
    for (const oldest of cache?.keys() ?? []) if (cache && cache.size > maxCached) cache.delete(oldest)
    return { response, body }
  }

  async function send(
    operation: Operation,
    request: Loose,
    { signal, idempotencyKey, etag, maxBytes }: CallOptions & FileOptions & { etag?: string } = {},
  ): Promise<Response> {
    const { body, contentType } = encodeBody(request.body)
    const response = await fetch(address(operation, request), {
      method: operation.slice(0, operation.indexOf(' ')),
      headers: {
        ...headers,
        ...(contentType && { 'content-type': contentType }),
        ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
        ...(etag && { 'if-none-match': etag }),
        ...(maxBytes !== undefined && { range: `bytes=0-${maxBytes - 1}` }),
      },
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
    })
    if (response.status === 304 && etag) return response
    if (!response.ok) throw await failureFrom(response)
    assertOwn(response)
    return response
  }

  function address(operation: Operation, { path, query }: Loose): string {
    const template = operation.slice(operation.indexOf(' ') + 1)
    const filled = template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(path?.[name] ?? '')))
    const search = encodeQuery(query ?? {})
    const prefix = isOutsideApi(template) ? '' : '/api/v4'
    return `${origin}${prefix}${filled}${search && `?${search}`}`
  }

  return {
    address: (operation, request) => address(operation, request as Loose), // every request has that shape
    async call<O extends Operation>(operation: O, request: Request<O>, options?: CallOptions) {
      return (await get(operation, request as Loose, options)).body as ResponseOf<O> // typed by the OpenAPI document
    },
    async file<O extends FileOperation>(operation: O, request: Request<O>, options?: FileOptions) {
      return (await send(operation, request as Loose, options)).blob() // every request has that shape
    },
    async page<O extends ListOperation>(operation: O, request: Request<O>, signal?: AbortSignal) {
      const { response, body } = await get(operation, request as Loose, signal && { signal }) // every operation's request is one
      const next = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
      const total = response.headers.get('x-total')
      return {
        rows: body as RowOf<O>[], // typed by the OpenAPI document
        total: total === null ? undefined : Number(total),
        hasNext: next !== undefined,
        cursor: (next && new URL(next).searchParams.get('cursor')) || undefined,
      }
    },
  }
}

/** A request without the types of its operation. */
interface Loose {
  path?: Record<string, unknown>
  query?: Record<string, unknown>
  body?: Record<string, unknown>
}

function isOutsideApi(template: string): boolean {
  return template.startsWith('/-/') || template.startsWith('/uploads/-/')
}

/** Encodes a query. Lists become `name[]`; undefined values are omitted. */
function encodeQuery(query: Record<string, unknown>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value)) for (const item of value) search.append(`${name}[]`, String(item))
    else if (value !== undefined) search.append(name, String(value))
  }
  return search.toString()
}

const isFileList = (value: unknown): value is Blob[] =>
  Array.isArray(value) && value.length > 0 && value.every((one) => one instanceof Blob)

/** Encodes a body as JSON, or as multipart when it contains a file. */
function encodeBody(body: Record<string, unknown> | undefined): { body?: string | FormData; contentType?: string } {
  if (body === undefined) return {}
  if (!Object.values(body).some((value) => value instanceof Blob || isFileList(value))) {
    return { body: JSON.stringify(body), contentType: 'application/json' }
  }
  const form = new FormData()
  for (const [name, value] of Object.entries(body)) {
    if (value instanceof Blob) form.append(name, value)
    else if (isFileList(value)) for (const file of value) form.append(`${name}[]`, file)
    else if (value !== undefined && value !== null) form.append(name, String(value))
  }
  return { body: form }
}

/** Throws for an HTML page that is not a download, such as the sign-in page of a proxy. */
function assertOwn({ headers }: Response): void {
  const isPage = headers.get('content-type')?.startsWith('text/html') && !headers.has('content-disposition')
  if (isPage)
    throw new RequestFailed(502, 'The response did not come from this server; check the connection and try again.')
}

async function read(response: Response): Promise<unknown> {
  if (response.status === 204) return undefined
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return isJson ? response.json() : response.blob()
}
