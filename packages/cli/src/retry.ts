import { unreachable } from './exit.ts'
import type { Io } from './io.ts'
import { describeNetworkFailure } from './network-failure.ts'

export interface RetryOptions {
  /** How long failed attempts are repeated, counted from the first failure. */
  retryMs: number
  /** Maximum duration of one attempt. */
  attemptMs: number
  /** Maximum time to wait before one attempt. Default: 15 seconds. */
  maxDelayMs?: number
  /** Also repeats after 500. */
  repeatsServerErrors?: boolean
  /** Also repeats POST requests without an `Idempotency-Key`, which must change nothing. */
  repeatsPosts?: boolean
}

const firstDelayMs = 500
const maxBackoffMs = 15_000
const temporary = new Set([429, 502, 503, 504])

/**
 * Returns a `fetch` that repeats requests which are safe to repeat: reads, and writes with an `Idempotency-Key`.
 * It repeats after network errors, after 429, 502, 503 and 504, and after a 409 that names a time to wait.
 */
export function retryingFetch(
  { fetch, now, sleep, env }: Io,
  { retryMs, attemptMs, maxDelayMs = maxBackoffMs, repeatsServerErrors = false, repeatsPosts = false }: RetryOptions,
): typeof globalThis.fetch {
  return async (input, init = {}) => {
    const mayRepeat = repeatsPosts || isRepeatable(init)
    let failedAt: number | undefined
    for (let attempt = 0; ; attempt++) {
      const result = await send(fetch, input, { ...init, signal: AbortSignal.timeout(attemptMs) })
      if (result instanceof Response && !isTemporary(result) && !(repeatsServerErrors && result.status === 500))
        return result
      failedAt ??= now()
      const delayMs = delayOf(result, attempt, maxDelayMs)
      const failure = result instanceof Response ? undefined : describeNetworkFailure(result.error, urlOf(input), env)
      if (!mayRepeat || failure?.mayPass === false || now() + delayMs > failedAt + retryMs) {
        if (result instanceof Response) return result
        throw unreachable(`The server at ${originOf(urlOf(input))} does not respond: ${failure?.reason}.`)
      }
      await (result instanceof Response ? result.body?.cancel() : undefined)
      await sleep(delayMs)
    }
  }
}

/** Returns the response, or the error of the network. */
async function send(
  fetch: typeof globalThis.fetch,
  input: Parameters<typeof fetch>[0],
  init: RequestInit,
): Promise<Response | { error: unknown }> {
  try {
    return await fetch(input, init)
  } catch (error) {
    return { error }
  }
}

function isRepeatable({ method = 'GET', headers }: RequestInit): boolean {
  return ['GET', 'PUT', 'DELETE'].includes(method) || new Headers(headers).has('idempotency-key')
}

function isTemporary({ status, headers }: Response): boolean {
  return temporary.has(status) || (status === 409 && headers.has('retry-after'))
}

function delayOf(result: Response | object, attempt: number, maxDelayMs: number): number {
  const seconds = result instanceof Response ? Number(result.headers.get('retry-after') ?? Number.NaN) : Number.NaN
  if (seconds >= 0) return Math.min(seconds * 1000, maxDelayMs)
  // Half of the delay is random, so that the jobs of a pipeline do not return at the same moment.
  return Math.min(firstDelayMs * 2 ** attempt, maxBackoffMs) * (0.5 + Math.random() / 2)
}

function urlOf(input: Parameters<typeof fetch>[0]): string {
  return input instanceof Request ? input.url : String(input)
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url
}
