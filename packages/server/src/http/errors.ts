import { type EntryProblem, Failure, type FailureCause, type StateConflict } from '../platform/failure.ts'
import { DamagedObject } from '../platform/object-store/verified-pieces.ts'

/** An error response. Its body has one of GitLab's three shapes: `error`, `message`, or `message` by attribute. */
export interface ErrorResponse {
  status: number
  /** A text is sent as plain text, an object as JSON. */
  body: object | string
  headers?: Record<string, string>
}

/** Returns the response for an error. Anything that is not a `Failure` is a bug, whose details the response omits. */
export function errorResponse(error: unknown): ErrorResponse {
  if (error instanceof DamagedObject) return message(500, '500 The stored file is damaged')
  return error instanceof Failure ? answers(error.cause) : message(500, '500 Internal Server Error')
}

export function isBug(error: unknown): boolean {
  return !(error instanceof Failure)
}

/** Returns true after a bug or a commit with an unknown outcome: a row may have been written. */
export function mayHaveCommitted(error: unknown): boolean {
  return (
    isBug(error) ||
    (error instanceof Failure && error.cause.kind === 'unavailable' && error.cause.isOutcomeUnknown === true)
  )
}

/** Returns true when a dependency failed and not the request, which the log must record. */
export function isOutage(error: unknown): boolean {
  return error instanceof Failure && (error.cause.kind === 'unavailable' || error.cause.kind === 'not-ready')
}

function answers(cause: FailureCause): ErrorResponse {
  switch (cause.kind) {
    case 'parameter':
      return { status: 400, body: { error: cause.message } }
    case 'unauthenticated':
      return message(401, '401 Unauthorized')
    case 'token-expired':
      return invalidToken('Token is expired. You can either do re-authorization or token refresh.')
    case 'token-revoked':
      return invalidToken('Token was revoked. You have to re-authorize from the user.')
    case 'scope-too-small':
      return {
        status: 403,
        body: {
          error: 'insufficient_scope',
          error_description: 'The request requires higher privileges than provided by the access token.',
          scope: cause.accepted.join(' '),
        },
      }
    case 'forbidden':
      return message(403, cause.sentence ?? (cause.reason ? `403 Forbidden - ${cause.reason}` : '403 Forbidden'))
    case 'not-found':
      // As on GitLab, the message without a noun has a lower-case f.
      return message(404, cause.noun ? `404 ${cause.noun} Not Found` : '404 Not found')
    case 'gone':
      return message(404, '404 Not Found')
    case 'moved':
      return movedResponse(cause.noun, cause.location)
    case 'page-too-far':
      return { status: 405, body: { error: tooFar(cause.noun, cause.lastRow) } }
    case 'no-keyset':
      return { status: 405, body: { error: 'Keyset pagination is not yet available for this type of request' } }
    case 'unchanged':
      return { status: 304, body: {} }
    case 'limit-reached':
      return { status: 403, body: { error: [cause.sentence] } }
    case 'no-such-route':
      return { status: 404, body: { error: '404 Not Found' } }
    case 'api-v3':
      return { status: 410, body: { error: 'API V3 is no longer supported. Use API V4 instead.' } }
    case 'method-not-allowed':
      return { status: 405, body: { error: '405 Not Allowed' }, headers: { allow: cause.allowed.join(', ') } }
    case 'bad-request':
      return message(400, cause.reason ? `400 Bad request - ${cause.reason}` : '400 Bad request')
    case 'refused':
      return message(400, cause.sentence)
    case 'invalid':
      return { status: 400, body: { message: cause.attributes } }
    case 'report-rejected':
      return {
        status: 400,
        body: { message: { base: cause.problems.map((problem) => problem.message) }, errors: cause.problems },
      }
    case 'import-rejected':
      return { status: 400, body: { message: { base: cause.problems.map(sentenceOf) }, errors: cause.problems } }
    case 'too-slow':
      return message(408, '408 Request Timeout')
    case 'conflict': {
      const { sentence, retryAfterSeconds } = cause
      const retry = retryAfterSeconds === undefined ? {} : { headers: { 'retry-after': String(retryAfterSeconds) } }
      return { ...message(409, sentence), ...retry }
    }
    case 'state-changed':
      return stateChangedResponse(cause.conflicts, cause.total)
    case 'blocked':
      return { status: 409, body: { message: cause.sentence, reasons: cause.reasons } }
    case 'unsupported-content-type':
      return { status: 415, body: { error: `The provided content-type '${cause.contentType}' is not supported.` } }
    case 'precondition-failed':
      return message(412, '412 Precondition Failed')
    case 'too-large':
      return {
        status: 413,
        body: { message: '413 Request Entity Too Large', ...(cause.sentence && { detail: cause.sentence }) },
      }
    case 'too-many-requests':
      if (cause.sentence !== undefined) {
        return { ...message(429, cause.sentence), headers: retryAfter(cause.retryAfterSeconds) }
      }
      return {
        status: 429,
        body: { message: { error: 'This endpoint has been requested too many times. Try again later.' } },
        headers: retryAfter(cause.retryAfterSeconds),
      }
    case 'busy':
      return { ...message(503, '503 Service Unavailable'), headers: retryAfter(cause.retryAfterSeconds) }
    case 'reauthentication-required':
      return {
        status: 403,
        body: {
          error: 'reauthentication_required',
          error_description: 'Confirm who you are with POST /-/sessions/confirm, then send the request again.',
        },
      }
    case 'throttled':
      return {
        status: 429,
        body: 'Retry later\n',
        headers: {
          'ratelimit-resettime': new Date(cause.endsAt).toUTCString(),
          'retry-after': String(cause.retryAfterSeconds),
        },
      }
    case 'unprocessable':
      return message(422, cause.sentence)
    case 'unprocessable-parameter':
      return { status: 422, body: { error: cause.sentence } }
    case 'unavailable':
      return unavailableResponse(cause.outcome)
    case 'draining':
      return { status: 503, body: { message: '503 Service Unavailable', reasons: ['the server is stopping'] } }
    case 'not-ready': {
      const reasons = cause.parts.map(({ reason }) => reason)
      return { status: 503, body: { message: '503 Service Unavailable', reasons } }
    }
  }
}

function retryAfter(seconds: number | undefined): Record<string, string> {
  return seconds === undefined ? {} : { 'retry-after': String(seconds) }
}

function stateChangedResponse(conflicts: readonly StateConflict[], total: number): ErrorResponse {
  const subject = total === 1 ? '1 vulnerability is' : `${total} vulnerabilities are`
  return {
    status: 409,
    body: {
      message: `${subject} in another state than expected; nothing was changed`,
      conflict_count: total,
      conflicts: conflicts.map(({ id, expectedState, state, changedBy, changedAt }) => ({
        id,
        expected_state: expectedState,
        state,
        changed_by: changedBy && { id: changedBy.id, username: changedBy.username, name: changedBy.name },
        changed_at: changedAt,
      })),
    },
  }
}

function sentenceOf({ entry, field, reason }: EntryProblem): string {
  const place = entry === null ? 'the file' : `entry ${entry}`
  return `${field === null ? place : `${place}, ${field}`}: ${reason}`
}

function message(status: number, text: string): ErrorResponse {
  return { status, body: { message: text } }
}

const outcomes = {
  unchanged: 'Nothing was changed.',
  unknown:
    'The change may have been made: check before you repeat the request, or send it again with the Idempotency-Key that it had.',
}

function unavailableResponse(outcome: 'unchanged' | 'unknown' | undefined): ErrorResponse {
  const text = '503 Service Unavailable'
  const headers = { 'retry-after': '5', ...(outcome && { 'x-alcove-outcome': outcome }) }
  return { status: 503, body: { message: text, ...(outcome && { detail: outcomes[outcome] }) }, headers }
}

/** Adds to the error of an outage whether the request may have changed data. For requests that write. */
export function withOutcome(error: unknown, hasCommitted: boolean): unknown {
  if (!(error instanceof Failure) || error.cause.kind !== 'unavailable') return error
  const isUnknown = hasCommitted || error.cause.isOutcomeUnknown === true
  return new Failure({ ...error.cause, outcome: isUnknown ? 'unknown' : 'unchanged' })
}

function movedResponse(noun: string, location: string | undefined): ErrorResponse {
  if (location === undefined) return message(405, `Non GET methods are not allowed for moved ${noun}s`)
  return { status: 301, body: `This resource has been moved permanently to ${location}`, headers: { location } }
}

function tooFar(noun: string, lastRow: number): string {
  return (
    `Offset pagination has a maximum allowed offset of ${lastRow} for requests that return objects of type ` +
    `${noun}. Remaining records can be retrieved using keyset pagination.`
  )
}

function invalidToken(description: string): ErrorResponse {
  return {
    status: 401,
    body: { error: 'invalid_token', error_description: description },
    headers: {
      'www-authenticate': `Bearer realm="Protected by OAuth 2.0", error="invalid_token", error_description="${description}"`,
    },
  }
}
