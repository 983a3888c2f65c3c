/**
 * Error of a request, independent of HTTP. `http/errors.ts` is the only place that maps these to statuses and bodies.
 * Anything thrown that is not a `Failure` is a bug.
 */
export class Failure extends Error {
  override readonly cause: FailureCause

  constructor(cause: FailureCause) {
    super(describe(cause))
    this.name = 'Failure'
    this.cause = cause
  }
}

/** Messages per attribute, in the order in which they are reported. `base` stands for the whole record. */
export type InvalidAttributes = Record<string, readonly string[]>

/** Problem of a report: its type, message and place (a JSON pointer, empty for the whole file). */
export interface ReportProblem {
  type: string
  message: string
  pointer: string
}

/** Record whose state differs from the one that the client expected, and the change that caused it. */
export interface StateConflict {
  id: number
  expectedState: string
  state: string
  /** Null when an import made the change, or the user has been deleted. */
  changedBy: { id: number; username: string; name: string } | null
  changedAt: string | null
}

/** Problem of a list of topics: the number of the entry (from 1; null for the file) and the field. */
export interface EntryProblem {
  entry: number | null
  field: string | null
  reason: string
}

export type FailureCause =
  /** A parameter is missing or has the wrong type; the message names it. */
  | { kind: 'parameter'; message: string }
  /** Credentials are missing or unknown. */
  | { kind: 'unauthenticated' }
  | { kind: 'token-expired' }
  | { kind: 'token-revoked' }
  | { kind: 'scope-too-small'; accepted: readonly string[] }
  /** A reason is appended to the status; a sentence replaces it. */
  | { kind: 'forbidden'; reason?: string; sentence?: string }
  /** With a noun (`Project`) the missing resource is named; without one it was looked up by id. */
  | { kind: 'not-found'; noun?: string }
  /** A record exists but its file is missing in the store, or a lookup found no record. */
  | { kind: 'gone' }
  | { kind: 'method-not-allowed'; allowed: readonly string[] }
  /** The path is a former one. `location` is the URL to redirect reads to; other methods have none. */
  | { kind: 'moved'; noun: 'project' | 'group'; id: number; location?: string }
  /** The page number exceeds the maximum of the list. */
  | { kind: 'page-too-far'; noun: string; lastRow: number }
  /** The order of the list does not support keyset pagination. */
  | { kind: 'no-keyset' }
  /** The resource is already in the requested state. */
  | { kind: 'unchanged' }
  /** A quota of the user is exhausted. */
  | { kind: 'limit-reached'; sentence: string }
  | { kind: 'no-such-route'; reason?: string | undefined }
  | { kind: 'api-v3' }
  | { kind: 'bad-request'; reason?: string }
  /** A request of OAuth or OpenID Connect is not valid; the sentence says why. */
  | { kind: 'invalid-oauth-request'; sentence: string }
  /** A rule of the domain is violated; the sentence names it. */
  | { kind: 'refused'; sentence: string }
  | { kind: 'invalid'; attributes: InvalidAttributes }
  | { kind: 'report-rejected'; problems: readonly ReportProblem[] }
  | { kind: 'import-rejected'; problems: readonly EntryProblem[] }
  | { kind: 'conflict'; sentence: string; retryAfterSeconds?: number }
  /** Records are not in the expected states; `total` includes those that are not listed. */
  | { kind: 'state-changed'; conflicts: readonly StateConflict[]; total: number }
  /** Later changes prevent the operation; the reasons name them. */
  | { kind: 'blocked'; sentence: string; reasons: readonly string[] }
  | { kind: 'unsupported-content-type'; contentType: string }
  | { kind: 'precondition-failed' }
  /** The sentence names the limit. */
  | { kind: 'too-large'; sentence?: string }
  /** The body of the request arrives too slowly. */
  | { kind: 'too-slow' }
  /** The sentence is set when there are more details than the rate limit. */
  | { kind: 'too-many-requests'; sentence?: string; retryAfterSeconds?: number }
  /** A queue is full; nothing was done. */
  | { kind: 'busy'; retryAfterSeconds: number }
  /** The user of a session must enter the password again. */
  | { kind: 'reauthentication-required' }
  /** The user of a session must set up a second factor first. */
  | { kind: 'second-factor-required' }
  /** A rate limit is exceeded until `endsAt` (in ms). */
  | { kind: 'throttled'; endsAt: number; retryAfterSeconds: number }
  | { kind: 'unprocessable'; sentence: string }
  /** A parameter is well-formed but cannot be used. */
  | { kind: 'unprocessable-parameter'; sentence: string }
  /**
   * A dependency (database, object store) does not respond or cannot do what was requested. `reason` is for clients,
   * `why` for the log. `isOutcomeUnknown`: the operation may have succeeded. `outcome`: whether the whole request has changed
   * anything.
   */
  | {
      kind: 'unavailable'
      what: string
      reason?: string
      why?: string
      isOutcomeUnknown?: boolean
      outcome?: 'unchanged' | 'unknown'
    }
  /** Readiness: all unavailable dependencies; `reason` is for the client, `why` for the log. */
  | { kind: 'not-ready'; parts: readonly { reason: string; why: string }[] }
  /** Readiness: the process is about to stop. */
  | { kind: 'draining' }

export const parameterProblem = (message: string): Failure => new Failure({ kind: 'parameter', message })
export const unauthenticated = (): Failure => new Failure({ kind: 'unauthenticated' })
export const forbidden = (reason?: string): Failure => new Failure({ kind: 'forbidden', ...(reason && { reason }) })
/** Returns `notFound('Project')` for a named resource, `notFound()` for a record looked up by id. */
export const notFound = (noun?: string): Failure => new Failure({ kind: 'not-found', ...(noun && { noun }) })
export const moved = (noun: 'project' | 'group', id: number): Failure => new Failure({ kind: 'moved', noun, id })
export const noKeyset = (): Failure => new Failure({ kind: 'no-keyset' })
export const unchanged = (): Failure => new Failure({ kind: 'unchanged' })
export const limitReached = (sentence: string): Failure => new Failure({ kind: 'limit-reached', sentence })
export const pageTooFar = (noun: string, lastRow: number): Failure =>
  new Failure({ kind: 'page-too-far', noun, lastRow })
export const gone = (): Failure => new Failure({ kind: 'gone' })
export const badRequest = (reason?: string): Failure => new Failure({ kind: 'bad-request', ...(reason && { reason }) })
export const refused = (sentence: string): Failure => new Failure({ kind: 'refused', sentence })
export const invalid = (attributes: InvalidAttributes): Failure => new Failure({ kind: 'invalid', attributes })
export const reportRejected = (problems: readonly ReportProblem[]): Failure =>
  new Failure({ kind: 'report-rejected', problems })
export const importRejected = (problems: readonly EntryProblem[]): Failure =>
  new Failure({ kind: 'import-rejected', problems })
export const conflict = (sentence: string): Failure => new Failure({ kind: 'conflict', sentence })
export const stateChanged = (conflicts: readonly StateConflict[], total: number): Failure =>
  new Failure({ kind: 'state-changed', conflicts, total })
export const blocked = (sentence: string, reasons: readonly string[]): Failure =>
  new Failure({ kind: 'blocked', sentence, reasons })
export const tooLarge = (sentence?: string): Failure =>
  new Failure({ kind: 'too-large', ...(sentence && { sentence }) })
export const unprocessable = (sentence: string): Failure => new Failure({ kind: 'unprocessable', sentence })
export const unavailable = (what: string, why?: string): Failure =>
  new Failure({ kind: 'unavailable', what, ...(why && { why }) })

/** Describes a failure for logs and test output; never sent to a client. */
function describe(cause: FailureCause): string {
  const { kind, ...details } = cause
  return Object.keys(details).length === 0 ? kind : `${kind} ${JSON.stringify(details)}`
}

/** Returns the message of an error for the terminal, with the reason of an outage. */
export function reasonOf(error: unknown): string {
  if (error instanceof Failure && error.cause.kind === 'unavailable') {
    return `${error.cause.what} is not available (${error.cause.why})`
  }
  return error instanceof Error ? error.message : String(error)
}

/** Returns true after a bug or a commit with an unknown outcome: a row may have been written, so its objects must stay. */
export function mayHaveCommitted(error: unknown): boolean {
  if (!(error instanceof Failure)) return true
  return error.cause.kind === 'unavailable' && error.cause.isOutcomeUnknown === true
}
