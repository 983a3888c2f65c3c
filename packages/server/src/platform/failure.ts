/**
 * What can go wrong with a request, named without HTTP. `http/errors.ts` is the only place that turns these into
 * statuses and bodies; anything thrown that is not a `Failure` is a bug.
 */
export class Failure extends Error {
  override readonly cause: FailureCause

  constructor(cause: FailureCause) {
    super(describe(cause))
    this.name = 'Failure'
    this.cause = cause
  }
}

/** Messages per attribute, in the order they are reported. `base` stands for the whole record. */
export type InvalidAttributes = Record<string, readonly string[]>

/** One thing wrong with a report: what, and where in the file (a JSON pointer, empty for the whole). */
export interface ReportProblem {
  type: string
  message: string
  pointer: string
}

/** A record whose state differs from what the client has shown, and the change that made it so. */
export interface StateConflict {
  id: number
  expectedState: string
  state: string
  /** Null when an import made the change, or the user has been deleted. */
  changedBy: { id: number; username: string; name: string } | null
  changedAt: string | null
}

/** One thing wrong with a list of topics: in which of its entries (the first is 1, none is the file), in which field. */
export interface EntryProblem {
  entry: number | null
  field: string | null
  reason: string
}

export type FailureCause =
  /** A parameter is missing or of the wrong type; the text names it. */
  | { kind: 'parameter'; message: string }
  /** No credentials where some are needed, or credentials nobody issued. */
  | { kind: 'unauthenticated' }
  | { kind: 'token-expired' }
  | { kind: 'token-revoked' }
  | { kind: 'scope-too-small'; accepted: readonly string[] }
  /** A reason stands behind the status, a sentence alone. */
  | { kind: 'forbidden'; reason?: string; sentence?: string }
  /** With a noun (`Project`) the thing that was looked for; without one, a record found by its id. */
  | { kind: 'not-found'; noun?: string }
  /** The record is there, but what it stands for is not (a file missing from the store), or a lookup without a record. */
  | { kind: 'gone' }
  | { kind: 'method-not-allowed'; allowed: readonly string[] }
  /** A path that something had until it moved. `location` is where to read instead; other methods have none. */
  | { kind: 'moved'; noun: 'project' | 'group'; id: number; location?: string }
  /** A list that page numbers do not reach into so far. */
  | { kind: 'page-too-far'; noun: string }
  /** A list in an order that nobody can continue after an id. */
  | { kind: 'no-keyset' }
  /** What was asked for is so already. */
  | { kind: 'unchanged' }
  /** The user may have no more of something. */
  | { kind: 'limit-reached'; sentence: string }
  | { kind: 'no-such-route' }
  | { kind: 'api-v3' }
  | { kind: 'bad-request'; reason?: string }
  /** A rule of the domain says no; the sentence tells which. */
  | { kind: 'refused'; sentence: string }
  | { kind: 'invalid'; attributes: InvalidAttributes }
  | { kind: 'report-rejected'; problems: readonly ReportProblem[] }
  | { kind: 'import-rejected'; problems: readonly EntryProblem[] }
  | { kind: 'conflict'; sentence: string; retryAfterSeconds?: number }
  /** Records are in other states than the request expects; `total` counts those that are not described too. */
  | { kind: 'state-changed'; conflicts: readonly StateConflict[]; total: number }
  /** What has changed meanwhile is in the way; the reasons name it. */
  | { kind: 'blocked'; sentence: string; reasons: readonly string[] }
  | { kind: 'unsupported-content-type'; contentType: string }
  | { kind: 'precondition-failed' }
  /** The sentence says what is allowed. */
  | { kind: 'too-large'; sentence?: string }
  /** The body of the request arrives too slowly. */
  | { kind: 'too-slow' }
  /** With a sentence where it is about more than the pace. */
  | { kind: 'too-many-requests'; sentence?: string; retryAfterSeconds?: number }
  /** A queue is full; nothing was done. */
  | { kind: 'busy'; retryAfterSeconds: number }
  /** A signed-in browser whose user has to enter the password again. */
  | { kind: 'reauthentication-required' }
  /** All that somebody may send for now; `endsAt` in ms. */
  | { kind: 'throttled'; endsAt: number; retryAfterSeconds: number }
  | { kind: 'unprocessable'; sentence: string }
  /** The same of a parameter that was read, and cannot be used. */
  | { kind: 'unprocessable-parameter'; sentence: string }
  /**
   * A dependency (database, object store) does not respond, or cannot do what was requested. `reason` is for clients,
   * `why` for the log. In doubt: it may have done it. `outcome` is about the whole request: whether it has changed anything.
   */
  | {
      kind: 'unavailable'
      what: string
      reason?: string
      why?: string
      inDoubt?: boolean
      outcome?: 'unchanged' | 'unknown'
    }
  /** Of readiness: every dependency that is missing; `reason` is for the client, `why` for the log. */
  | { kind: 'not-ready'; parts: readonly { reason: string; why: string }[] }
  /** Of readiness: the process is about to stop. */
  | { kind: 'draining' }

export const parameterProblem = (message: string): Failure => new Failure({ kind: 'parameter', message })
export const unauthenticated = (): Failure => new Failure({ kind: 'unauthenticated' })
export const forbidden = (reason?: string): Failure => new Failure({ kind: 'forbidden', ...(reason && { reason }) })
/** `notFound('Project')` for a named thing, `notFound()` for a record looked up by id. */
export const notFound = (noun?: string): Failure => new Failure({ kind: 'not-found', ...(noun && { noun }) })
export const moved = (noun: 'project' | 'group', id: number): Failure => new Failure({ kind: 'moved', noun, id })
export const noKeyset = (): Failure => new Failure({ kind: 'no-keyset' })
export const unchanged = (): Failure => new Failure({ kind: 'unchanged' })
export const limitReached = (sentence: string): Failure => new Failure({ kind: 'limit-reached', sentence })
export const pageTooFar = (noun: string): Failure => new Failure({ kind: 'page-too-far', noun })
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

/** For logs and test output; never sent to a client. */
function describe(cause: FailureCause): string {
  const { kind, ...details } = cause
  return Object.keys(details).length === 0 ? kind : `${kind} ${JSON.stringify(details)}`
}
