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
  return error instanceof Failure
    ? failureResponse(error.cause.kind, error.cause)
    : message(500, '500 Internal Server Error')
}

/** Returns the sentences of an error body, such as `comment is too long`. */
export function sentencesOf(body: ErrorResponse['body']): string[] {
  if (typeof body === 'string') return [body.trim()]
  const { message, error, error_description, detail } = body as Record<string, unknown> // see `ErrorResponse`
  const said = message ?? error_description ?? error
  const text = typeof detail === 'string' ? ` (${detail})` : ''
  if (typeof said !== 'object' || said === null) return [`${String(said)}${text}`]
  return Object.entries(said).flatMap(([attribute, messages]) =>
    [messages].flat().map((each) => (/^(base|error|\d+)$/.test(attribute) ? String(each) : `${attribute} ${each}`)),
  )
}

export function isBug(error: unknown): boolean {
  return !(error instanceof Failure)
}

/** Returns true when a dependency failed and not the request, which the log must record. */
export function isOutage(error: unknown): boolean {
  return error instanceof Failure && (error.cause.kind === 'unavailable' || error.cause.kind === 'not-ready')
}

type Causes = { [Cause in FailureCause as Cause['kind']]: Cause }

function failureResponse<Kind extends keyof Causes>(kind: Kind, cause: Causes[Kind]): ErrorResponse {
  return responses[kind](cause)
}

const responses: { [Kind in keyof Causes]: (cause: Causes[Kind]) => ErrorResponse } = {
  parameter: (cause) => ({ status: 400, body: { error: cause.message } }),
  unauthenticated: () => message(401, '401 Unauthorized'),
  'token-expired': () => invalidToken('Token is expired. You can either do re-authorization or token refresh.'),
  'token-revoked': () => invalidToken('Token was revoked. You have to re-authorize from the user.'),
  'scope-too-small': ({ accepted }) => ({
    status: 403,
    body: {
      error: 'insufficient_scope',
      error_description: 'The request requires higher privileges than provided by the access token.',
      scope: accepted.join(' '),
    },
  }),
  forbidden: ({ reason, sentence }) =>
    message(403, sentence ?? (reason ? `403 Forbidden - ${reason}` : '403 Forbidden')),
  // As on GitLab, the message without a noun has a lower-case f.
  'not-found': ({ noun }) => message(404, noun ? `404 ${noun} Not Found` : '404 Not found'),
  gone: () => message(404, '404 Not Found'),
  moved: ({ noun, location }) => movedResponse(noun, location),
  'page-too-far': ({ noun, lastRow }) => ({ status: 405, body: { error: tooFar(noun, lastRow) } }),
  'no-keyset': () => ({
    status: 405,
    body: { error: 'Keyset pagination is not yet available for this type of request' },
  }),
  unchanged: () => ({ status: 304, body: {} }),
  'limit-reached': ({ sentence }) => ({ status: 403, body: { error: [sentence] } }),
  'no-such-route': ({ reason }) => ({
    status: 404,
    body: { error: '404 Not Found', ...(reason !== undefined && { message: reason }) },
  }),
  'api-v3': () => ({ status: 410, body: { error: 'API V3 is no longer supported. Use API V4 instead.' } }),
  'method-not-allowed': ({ allowed }) => ({
    status: 405,
    body: { error: '405 Not Allowed' },
    headers: { allow: allowed.join(', ') },
  }),
  'bad-request': ({ reason }) => message(400, reason ? `400 Bad request - ${reason}` : '400 Bad request'),
  'invalid-oauth-request': ({ sentence }) => ({
    status: 400,
    body: { error: 'invalid_request', error_description: sentence },
  }),
  refused: ({ sentence }) => message(400, sentence),
  invalid: ({ attributes }) => ({ status: 400, body: { message: attributes } }),
  'report-rejected': ({ problems }) => ({
    status: 400,
    body: { message: { base: problems.map((problem) => problem.message) }, errors: problems },
  }),
  'import-rejected': ({ problems }) => ({
    status: 400,
    body: { message: { base: problems.map(sentenceOf) }, errors: problems },
  }),
  'too-slow': () => message(408, '408 Request Timeout'),
  conflict: ({ sentence, retryAfterSeconds }) => ({
    ...message(409, sentence),
    ...(retryAfterSeconds !== undefined && { headers: retryAfter(retryAfterSeconds) }),
  }),
  'state-changed': ({ conflicts, total }) => stateChangedResponse(conflicts, total),
  blocked: ({ sentence, reasons }) => ({ status: 409, body: { message: sentence, reasons } }),
  'unsupported-content-type': ({ contentType }) => ({
    status: 415,
    body: { error: `The provided content-type '${contentType}' is not supported.` },
  }),
  'precondition-failed': () => message(412, '412 Precondition Failed'),
  'too-large': ({ sentence }) => ({
    status: 413,
    body: { message: '413 Request Entity Too Large', ...(sentence && { detail: sentence }) },
  }),
  'too-many-requests': ({ sentence, retryAfterSeconds }) => ({
    status: 429,
    body: {
      message: sentence ?? { error: 'This endpoint has been requested too many times. Try again later.' },
    },
    headers: retryAfter(retryAfterSeconds),
  }),
  busy: ({ retryAfterSeconds }) => ({
    ...message(503, '503 Service Unavailable'),
    headers: retryAfter(retryAfterSeconds),
  }),
  'reauthentication-required': () => ({
    status: 403,
    body: {
      error: 'reauthentication_required',
      error_description: 'Confirm who you are with POST /-/sessions/confirm, then send the request again.',
    },
  }),
  'second-factor-required': () => ({
    status: 403,
    body: {
      error: 'second_factor_required',
      error_description: 'This server requires two-factor authentication. Set it up in your profile first.',
    },
  }),
  throttled: ({ endsAt, retryAfterSeconds }) => ({
    status: 429,
    body: 'Retry later\n',
    headers: { 'ratelimit-resettime': new Date(endsAt).toUTCString(), ...retryAfter(retryAfterSeconds) },
  }),
  unprocessable: ({ sentence }) => message(422, sentence),
  'unprocessable-parameter': ({ sentence }) => ({ status: 422, body: { error: sentence } }),
  unavailable: ({ outcome }) => unavailableResponse(outcome),
  draining: () => ({
    status: 503,
    body: { message: '503 Service Unavailable', reasons: ['the server is stopping'] },
  }),
  'not-ready': ({ parts }) => ({
    status: 503,
    body: { message: '503 Service Unavailable', reasons: parts.map(({ reason }) => reason) },
  }),
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
