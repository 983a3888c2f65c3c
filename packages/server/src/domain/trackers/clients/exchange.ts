import { ForbiddenAddress, get, NoResponse, post, type Resolve } from '../../../platform/outgoing/send.ts'
import { version } from '../../../platform/version.ts'

/**
 * A request to a tracker that failed.
 * - `refused`: the tracker has not done what was requested.
 * - `limited`: neither, and it accepts no requests until `retryAt`.
 * - `uncertain`: there was no response, or one from which the outcome cannot be read.
 */
export class TrackerError extends Error {
  override readonly name = 'TrackerError'
  readonly outcome: 'refused' | 'limited' | 'uncertain'
  /** Status of the response, if there was one. */
  readonly status: number | undefined
  readonly retryAfterMs: number | undefined

  constructor(
    outcome: TrackerError['outcome'],
    message: string,
    { status, retryAfterMs }: { status?: number | undefined; retryAfterMs?: number | undefined } = {},
  ) {
    super(message)
    this.outcome = outcome
    this.status = status
    this.retryAfterMs = retryAfterMs
  }
}

/** How requests reach trackers. */
export interface Transport {
  reachesPrivate: boolean
  resolve: Resolve
  now(): string
  signal: AbortSignal | undefined
}

/** Sends a request to a tracker and returns the JSON of its response. Throws `TrackerError`. */
export type Send = (request: {
  url: string
  headers: Readonly<Record<string, string>>
  /** Makes it a POST. */
  body?: object
}) => Promise<unknown>

/** Limit for one request. */
const requestTimeoutMs = 20_000
/** A page of issues contains their descriptions. */
const maxResponseBytes = 16 * 1024 * 1024

export function openTransport({ reachesPrivate, resolve, now, signal }: Transport): Send {
  return async ({ url, headers, body }) => {
    const asked = {
      url,
      headers: { Accept: 'application/json', 'User-Agent': `Alcove/${version}`, ...headers },
      timeoutMs: requestTimeoutMs,
      maxResponseBytes,
      verifiesCertificates: true,
      reachesPrivate,
      resolve,
      signal,
    }
    const json = { ...asked.headers, 'Content-Type': 'application/json' }
    const sent = body ? post({ ...asked, headers: json, body: JSON.stringify(body) }) : get(asked)
    const response = await sent.catch((error: unknown) => {
      if (!(error instanceof NoResponse)) throw error
      throw new TrackerError(error instanceof ForbiddenAddress ? 'refused' : 'uncertain', error.message)
    })
    const { status } = response
    const value = parsed(response.body)
    if (status >= 200 && status <= 299) {
      if (value === undefined) throw new TrackerError('uncertain', 'the response was not JSON', { status })
      return value
    }
    const message = `the tracker responded with ${status}${reasonIn(value)}`
    const retryAfterMs = retryAfter(response.headers, Date.parse(now()))
    if (status === 429 || (status === 403 && retryAfterMs !== undefined)) {
      throw new TrackerError('limited', message, { status, retryAfterMs })
    }
    if (status >= 300 && status <= 499 && status !== 408) throw new TrackerError('refused', message, { status })
    throw new TrackerError('uncertain', message, { status, retryAfterMs })
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const maxReason = 300

/** Returns the tracker's reason from the fields in which trackers state it. Other contents are not shown. */
function reasonIn(value: unknown): string {
  if (typeof value !== 'object' || value === null) return ''
  const { message, error, errorMessages, errors } = value as Record<string, unknown> // any object
  const texts = [message, error, errorMessages, errors].flatMap(textsIn).filter(Boolean)
  return texts.length === 0 ? '' : `: ${texts.join('; ').slice(0, maxReason)}`
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, part]) => textsIn(part).map((text) => `${name} ${text}`))
}

const maxRetryAfterMs = 60 * 60_000

/** Returns how long the tracker wants no requests: by `Retry-After`, or GitHub's headers of a used up limit. */
function retryAfter(headers: Readonly<Record<string, string>>, nowMs: number): number | undefined {
  const written = headers['retry-after']
  const reset = headers['x-ratelimit-remaining'] === '0' ? headers['x-ratelimit-reset'] : undefined
  const at = written === undefined ? Number(reset) * 1000 - nowMs : secondsOrDate(written, nowMs)
  return Number.isFinite(at) ? Math.min(Math.max(at, 1_000), maxRetryAfterMs) : undefined
}

function secondsOrDate(text: string, nowMs: number): number {
  return /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs
}
