import { createHash } from 'node:crypto'
import { failureFrom, RequestFailed } from '@alcove/client'
import { unreachable } from '../../exit.ts'
import type { Io } from '../../io.ts'
import { retryingFetch } from '../../retry.ts'
import { type SourceRow, textOf } from './source-row.ts'

/** The server that data is copied from: GitLab or Alcove. Requests only read. */
export interface SourceApi {
  /** Address without a slash at its end. */
  url: string
  get(path: string, query?: Query): Promise<SourceRow>
  /** Reads all pages of a list. A row that moves to a later page during the copy is returned once. */
  list(path: string, query?: Query): AsyncGenerator<SourceRow>
  /** Runs a query of GraphQL. Throws when the source reports errors. */
  graphql(query: string, variables: SourceRow): Promise<SourceRow>
  /** Downloads a file below the address of the source. */
  file(path: string): Promise<SourceFile>
}

export interface SourceFile {
  bytes: Buffer<ArrayBuffer>
  sha256: string
  contentType: string
}

type Query = Record<string, string | number | boolean>

export interface SourceOptions {
  url: string
  token: string
  /** How long failed attempts are repeated, in seconds. */
  retry: number | undefined
  /** Maximum duration of one request, in seconds. */
  timeout: number | undefined
}

const perPage = 100
const defaultRetrySeconds = 900
const defaultTimeoutSeconds = 300
/** Maximum time to wait for a rate limit. */
const maxWaitMs = 3_600_000
/** Maximum number of attempts to read a body that is cut. */
const maxBodyAttempts = 5
const maxRedirects = 3
/** Maximum size of a page of a list, which bounds the memory. */
const maxJsonBytes = 64 * 1024 * 1024

/** Creates a client of the source, which repeats failed requests and waits when a rate limit is reached. */
export function openSource(io: Io, { url, token, retry, timeout }: SourceOptions): SourceApi {
  const fetch = retryingFetch(io, {
    retryMs: (retry ?? defaultRetrySeconds) * 1000,
    attemptMs: (timeout ?? defaultTimeoutSeconds) * 1000,
    maxDelayMs: maxWaitMs,
    repeatsServerErrors: true,
    // Queries of GraphQL only read.
    repeatsPosts: true,
  })
  let waitMs = 0

  /** Sends a request. The token goes to the source only, not to the bucket that a file may be redirected to. */
  async function send(address: string, query?: string): Promise<Response> {
    let target = new URL(address)
    for (let redirects = 0; redirects <= maxRedirects; redirects++) {
      if (waitMs > 0) await io.sleep(waitMs)
      const isOwn = target.href.startsWith(`${url}/`)
      const headers = {
        'user-agent': 'alcove',
        ...(isOwn && { 'private-token': token }),
        ...(query !== undefined && { 'content-type': 'application/json' }),
      }
      const body = query !== undefined && { method: 'POST', body: query }
      const response = await fetch(target.href, { headers, redirect: 'manual', ...body })
      waitMs = isOwn ? rateLimitWait(response) : 0
      const location = response.headers.get('location')
      if (response.status < 300 || response.status >= 400 || location === null) return response
      await response.body?.cancel()
      target = new URL(location, target)
    }
    throw new RequestFailed(502, 'The source redirects too often.')
  }

  /** Reads a whole response. Repeats the request when the connection is cut within the body. */
  async function read(
    address: string,
    { query, maxBytes = Infinity }: { query?: string | undefined; maxBytes?: number } = {},
  ): Promise<{ response: Response; bytes: Buffer<ArrayBuffer> }> {
    for (let attempt = 1; ; attempt++) {
      const response = await send(address, query)
      if (!response.ok) throw await failureFrom(response)
      try {
        return { response, bytes: await readBytes(response, maxBytes) }
      } catch (error) {
        if (error instanceof RequestFailed) throw error
        if (attempt === maxBodyAttempts) throw unreachable(`The source at ${url} cuts its responses.`)
        await io.sleep(1000 * attempt)
      }
    }
  }

  async function readJson(address: string, query?: string): Promise<{ response: Response; body: unknown }> {
    const { response, bytes } = await read(address, { query, maxBytes: maxJsonBytes })
    try {
      return { response, body: JSON.parse(bytes.toString()) }
    } catch {
      throw unreachable(`The response of ${url} is not JSON. Check the address of the source.`)
    }
  }

  const address = (path: string, query: Query = {}) => {
    const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]))
    return `${url}/api/v4${path}${search.size > 0 ? `?${search}` : ''}`
  }

  return {
    url,
    async get(path, query) {
      const { body } = await readJson(address(path, query))
      if (!isRow(body)) throw new RequestFailed(502, `The response of ${path} is not an object.`)
      return body
    },
    async *list(path, query = {}) {
      const returned = new Set<unknown>()
      let next: Query | undefined = { ...query, per_page: perPage }
      while (next) {
        const { response, body }: { response: Response; body: unknown } = await readJson(address(path, next))
        if (!Array.isArray(body)) throw new RequestFailed(502, `The response of ${path} is not a list.`)
        for (const row of body.filter(isRow)) {
          if (row['id'] !== undefined && returned.has(row['id'])) continue
          returned.add(row['id'])
          yield row
        }
        next = nextQuery(response, next)
      }
    },
    async graphql(query, variables) {
      const { body } = await readJson(`${url}/api/graphql`, JSON.stringify({ query, variables }))
      const { data, errors } = isRow(body) ? body : {}
      const [first] = Array.isArray(errors) ? errors.filter(isRow) : []
      if (first) throw new RequestFailed(400, textOf(first, 'message') ?? 'GraphQL has rejected the query.')
      if (!isRow(data)) throw new RequestFailed(502, 'The response of GraphQL has no data.')
      return data
    },
    async file(path) {
      const { response, bytes } = await read(`${url}${path}`)
      const contentType = response.headers.get('content-type') ?? 'application/octet-stream'
      return { bytes, contentType, sha256: createHash('sha256').update(bytes).digest('hex') }
    },
  }
}

async function readBytes({ body }: Response, maxBytes: number): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new RequestFailed(413, `A response has more than ${maxBytes / 1024 / 1024} MiB.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const isRow = (value: unknown): value is SourceRow =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Returns the query of the next page. It is taken from the link without its address, because servers behind a proxy may
 * not know their own, and the token must not leave the source.
 */
function nextQuery({ headers }: Response, query: Query): Query | undefined {
  const link = /<([^>]+)>; *rel="next"/.exec(headers.get('link') ?? '')?.[1]
  if (link !== undefined && URL.canParse(link)) return Object.fromEntries(new URL(link).searchParams)
  const page = headers.get('x-next-page')
  return page ? { ...query, page } : undefined
}

/** Returns how long to wait before the next request when the rate limit has no request left. */
function rateLimitWait({ headers }: Response): number {
  if (headers.get('ratelimit-remaining') !== '0') return 0
  const resetMs = Number(headers.get('ratelimit-reset') ?? Number.NaN) * 1000
  // The clock of the source decides, because the reset is given in its time.
  const nowMs = Date.parse(headers.get('date') ?? '')
  const waitMs = resetMs - nowMs
  return waitMs > 0 ? Math.min(waitMs, maxWaitMs) : 0
}
