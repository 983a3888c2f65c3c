import { unreachable } from './exit.ts'
import type { Io } from './io.ts'

export interface RetryOptions {
  /** How long failed attempts are repeated, counted from the first failure. */
  retryMs: number
  /** Maximum duration of one attempt. */
  attemptMs: number
}

const firstDelayMs = 500
const maxDelayMs = 15_000
const temporary = new Set([429, 502, 503, 504])

/**
 * Returns a `fetch` that repeats requests which are safe to repeat: reads, and writes with an `Idempotency-Key`.
 * It repeats after network errors, after 429, 502, 503 and 504, and after a 409 that names a time to wait.
 */
export function retryingFetch(
  { fetch, now, sleep }: Io,
  { retryMs, attemptMs }: RetryOptions,
): typeof globalThis.fetch {
  return async (input, init = {}) => {
    const mayRepeat = isRepeatable(init)
    let failedAt: number | undefined
    for (let attempt = 0; ; attempt++) {
      const result = await send(fetch, input, { ...init, signal: AbortSignal.timeout(attemptMs) })
      if (result instanceof Response && !isTemporary(result)) return result
      failedAt ??= now()
      const delayMs = delayOf(result, attempt)
      if (!mayRepeat || now() + delayMs > failedAt + retryMs) {
        if (result instanceof Response) return result
        throw unreachable(`The server at ${originOf(input)} does not respond: ${result.message}`)
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
): Promise<Response | Error> {
  try {
    return await fetch(input, init)
  } catch (error) {
    return new Error(reasonOf(error))
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return 'it took too long'
  const { cause } = error
  if (!(cause instanceof Error)) return error.message
  const code = 'code' in cause ? String(cause.code) : ''
  return reasons[code] ?? (cause.message || code || error.message)
}

const reasons: Partial<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at that address',
  ECONNRESET: 'it closed the connection',
  UND_ERR_SOCKET: 'it closed the connection',
  ENOTFOUND: 'its name cannot be resolved',
  EAI_AGAIN: 'its name cannot be resolved',
}

function isRepeatable({ method = 'GET', headers }: RequestInit): boolean {
  return ['GET', 'PUT', 'DELETE'].includes(method) || new Headers(headers).has('idempotency-key')
}

function isTemporary({ status, headers }: Response): boolean {
  return temporary.has(status) || (status === 409 && headers.has('retry-after'))
}

function delayOf(result: Response | Error, attempt: number): number {
  const seconds = result instanceof Response ? Number(result.headers.get('retry-after') ?? Number.NaN) : Number.NaN
  if (seconds >= 0) return Math.min(seconds * 1000, maxDelayMs)
  // Half of the delay is random, so that the jobs of a pipeline do not return at the same moment.
  return Math.min(firstDelayMs * 2 ** attempt, maxDelayMs) * (0.5 + Math.random() / 2)
}

function originOf(input: Parameters<typeof fetch>[0]): string {
  const url = input instanceof Request ? input.url : String(input)
  return URL.canParse(url) ? new URL(url).origin : url
}
