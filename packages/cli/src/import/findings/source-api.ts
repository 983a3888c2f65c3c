import { unreachable, wrongUsage } from '../../exit.ts'
import type { Io } from '../../io.ts'
import { describeNetworkFailure } from '../../network-failure.ts'

/** The API of a product, from which findings are read. */
export interface SourceApi {
  /** Address without a slash at its end. */
  url: string
  /** Returns the body of a response, and the address of the next page of its `Link` header. */
  get(path: string): Promise<SourceResponse>
  /** Like `get`; returns undefined for one of these statuses. */
  find(path: string, missing: readonly number[]): Promise<SourceResponse | undefined>
}

interface SourceResponse {
  body: unknown
  next: string | undefined
  total: number | undefined
}

export interface SourceOptions {
  url: string
  /** Name of the product, for messages. */
  name: string
  headers: Readonly<Record<string, string>>
  /** Variable with the token, for messages. */
  variable: string
  /** How long failed requests are repeated, counted from the first failure. */
  retryMs?: number | undefined
}

const defaultRetryMs = 300_000
const attemptMs = 120_000
const firstDelayMs = 500
const maxDelayMs = 30_000
/** Maximum size of a page, which bounds the memory. */
const maxPageBytes = 64 * 1024 * 1024
/** Maximum time that a rate limit may ask to wait. */
const maxWaitMs = 3_700_000

/**
 * Opens an API. Requests are repeated after network errors, 429 and 5xx, after the time that the response names. The
 * token is only ever sent to the address that the user has given: redirects and pages elsewhere are refused.
 */
export function openSource(io: Io, options: SourceOptions): SourceApi {
  const { url, name } = options
  async function find(path: string, missing: readonly number[]): Promise<SourceResponse | undefined> {
    const address = addressOf(url, path)
    if (!address) throw wrongUsage(`${name} names a page at another address, which is not read: ${path}`)
    const { response, text } = await request(io, address, options)
    if (missing.includes(response.status)) return undefined
    assertRead(response, options, address)
    return {
      body: parse(text, options, address),
      next: nextOf(response.headers.get('link')),
      total: Number(response.headers.get('x-total-count') ?? Number.NaN) || undefined,
    }
  }
  return {
    url,
    find,
    async get(path) {
      const found = await find(path, [])
      if (!found) throw new Error('a status that is not missing has no response')
      return found
    },
  }
}

interface Answer {
  response: Response
  text: string
}

async function request(io: Io, address: string, options: SourceOptions): Promise<Answer> {
  const { name, headers, retryMs = defaultRetryMs } = options
  let failedAt: number | undefined
  for (let attempt = 0; ; attempt++) {
    const result = await send(io, address, headers)
    const limitMs = 'error' in result ? undefined : rateLimitMs(io, result.response)
    if (!('error' in result) && limitMs === undefined && result.response.status < 500) return result
    if (limitMs !== undefined && limitMs > maxWaitMs)
      throw wrongUsage(`${name} allows no request for more than an hour.`)
    failedAt ??= io.now()
    const delayMs = limitMs ?? Math.min(firstDelayMs * 2 ** attempt, maxDelayMs)
    // A rate limit names its end, so waiting for it is no failure.
    if (limitMs === undefined && io.now() + delayMs > failedAt + retryMs) {
      if (!('error' in result)) return result
      const { reason } = describeNetworkFailure(result.error, address, io.env)
      throw unreachable(`${name} at ${new URL(address).origin} does not respond: ${reason}.`)
    }
    if (limitMs !== undefined) failedAt = undefined
    await io.sleep(delayMs)
  }
}

async function send(
  io: Io,
  address: string,
  headers: Readonly<Record<string, string>>,
): Promise<Answer | { error: unknown }> {
  try {
    const response = await io.fetch(address, {
      headers: { accept: 'application/json', ...headers },
      redirect: 'manual',
      signal: AbortSignal.timeout(attemptMs),
    })
    return { response, text: await readText(response) }
  } catch (error) {
    if (error instanceof TooLarge) throw wrongUsage(`${address} returns more than ${maxPageBytes / 1024 / 1024} MiB.`)
    return { error }
  }
}

class TooLarge extends Error {}

async function readText({ body }: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.length
    if (bytes > maxPageBytes) throw new TooLarge()
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

/** Returns how long a rate limit asks to wait; undefined if there is none. */
function rateLimitMs({ now }: Io, { status, headers }: Response): number | undefined {
  if (status !== 429 && !(status === 403 && headers.get('x-ratelimit-remaining') === '0')) return undefined
  const after = headers.get('retry-after')
  if (after !== null && /^\d{1,9}$/.test(after)) return Number(after) * 1000
  if (after !== null && !Number.isNaN(Date.parse(after))) return Math.max(0, Date.parse(after) - now())
  const reset = Number(headers.get('x-ratelimit-reset') ?? Number.NaN)
  return Number.isNaN(reset) ? maxDelayMs : Math.max(1000, reset * 1000 - now())
}

function assertRead({ status }: Response, { name, url, variable }: SourceOptions, address: string): void {
  if (status >= 200 && status < 300) return
  const { pathname } = new URL(address)
  if (status === 401) throw wrongUsage(`${name} rejected the token (401). Check ${variable}.`)
  if (status === 403) throw wrongUsage(`${name} rejected the request (403): the token may not read ${pathname}.`)
  if (status === 404) throw wrongUsage(`${name} has no ${pathname} (404). Check the address and the id.`)
  if (status >= 300 && status < 400)
    throw wrongUsage(`${url} redirects. Use --from with the address that it redirects to.`)
  if (status >= 500) throw unreachable(`${name} cannot serve ${pathname} (${status}).`)
  throw wrongUsage(`${name} rejected the request of ${pathname} (${status}).`)
}

function parse(text: string, { name }: SourceOptions, address: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw wrongUsage(`${name} returned no JSON for ${new URL(address).pathname}. Check the address in --from.`)
  }
}

/** Returns the address of a path below the source, or of a page that the source names; undefined if it is elsewhere. */
function addressOf(url: string, path: string): string | undefined {
  if (path.startsWith('/')) return `${url}${path}`
  return URL.canParse(path) && new URL(path).origin === new URL(url).origin ? path : undefined
}

/** Returns the next page of a `Link` header. */
function nextOf(link: string | null): string | undefined {
  for (const part of link?.split(',') ?? []) {
    const [, address] = /^\s*<([^>]*)>\s*;[^,]*\brel="?next"?/.exec(part) ?? []
    if (address) return address
  }
  return undefined
}
