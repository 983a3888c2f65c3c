/** A vulnerability in another state than the request expected. */
export interface StateConflict {
  id: number
  expected_state: State
  state: State
  /** Null when an import changed it, or the user has been deleted. */
  changed_by: { id: number; username: string; name: string } | null
  changed_at: string | null
}

type State = 'detected' | 'confirmed' | 'resolved' | 'dismissed'

/** Error for a response that is not a success. Its message can be shown to users. */
export class RequestFailed extends Error {
  readonly status: number
  /** What the response says about the failure; absent when it only repeats the status. */
  readonly detail: string | undefined
  /** Problems by field, if the response has them. */
  readonly fields: Readonly<Record<string, string>>
  /** Reasons for the rejection, if the response has them. */
  readonly reasons: readonly string[]
  /** Scopes of which the token needs one, if it lacks them. */
  readonly scopes: readonly string[]
  /** Error code such as `reauthentication_required`, if the response has one. */
  readonly code: string | undefined
  /** The first conflicts between expected and actual states; `conflictCount` is their total. */
  readonly conflicts: readonly StateConflict[]
  readonly conflictCount: number

  constructor(
    status: number,
    message: string,
    fields: Record<string, string> = {},
    { detail, reasons = [], scopes = [], code, conflicts = [], conflictCount }: Details = {},
  ) {
    super(message)
    this.name = 'RequestFailed'
    this.status = status
    this.detail = detail
    this.fields = fields
    this.reasons = reasons
    this.scopes = scopes
    this.code = code
    this.conflicts = conflicts
    this.conflictCount = conflictCount ?? conflicts.length
  }
}

interface Details {
  detail?: string | undefined
  code?: string | undefined
  reasons?: readonly string[]
  scopes?: readonly string[]
  conflicts?: readonly StateConflict[]
  conflictCount?: number
}

/** Parses GitLab's error bodies: `error`, `message` as a text or by attribute, or plain text. */
export async function failureFrom(response: Response): Promise<RequestFailed> {
  return readFailure(response.status, await response.text().catch(() => ''))
}

/** Parses an error body of a request that was not sent with `fetch`. */
export function readFailure(status: number, text: string): RequestFailed {
  const { detail, fields } = detailOf(status, text)
  const message = detail ?? standard[status] ?? `The server answered ${status}.`
  return new RequestFailed(status, message, fields, {
    detail,
    reasons: reasonsOf(text),
    scopes: scopesOf(text),
    code: codeOf(text),
    ...conflictsOf(text),
  })
}

function scopesOf(text: string): string[] {
  const { error, scope } = parse(text) ?? {}
  return error === 'insufficient_scope' && typeof scope === 'string' ? scope.split(' ') : []
}

function codeOf(text: string): string | undefined {
  const { error, error_description: description } = parse(text) ?? {}
  return typeof error === 'string' && description !== undefined ? error : undefined
}

function detailOf(status: number, text: string): { detail?: string; fields?: Record<string, string> } {
  const body = parse(text)
  if (body === undefined) return isPage.test(text) || text.trim() === '' ? {} : { detail: text.trim().slice(0, 300) }
  const { message, error, error_description: description, detail } = body
  if (isRecord(message)) {
    const fields = Object.fromEntries(Object.entries(message).map(([name, problems]) => [name, listed(problems)]))
    const sentences = Object.entries(fields).map(([name, problems]) =>
      name === 'base' || name === 'error' ? problems : `${name} ${problems}`,
    )
    return { detail: withStop(sentences.join('; ')), fields }
  }
  const given = [description, detail, message, error].find((part) => typeof part === 'string' && part !== '')
  const plain = String(given ?? '').replace(/^\d{3} ((Forbidden|Bad request) - )?/, '')
  const isBare = plain === '' || (status >= 500 && standard[status] !== undefined) || bare.test(plain)
  return isBare ? {} : { detail: plain }
}

function conflictsOf(text: string): Pick<Details, 'conflicts' | 'conflictCount'> {
  const { conflicts, conflict_count: count } = parse(text) ?? {}
  if (!Array.isArray(conflicts)) return {}
  return { conflicts, conflictCount: typeof count === 'number' ? count : conflicts.length } // typed by the OpenAPI document
}

/** Adds a full stop unless the message ends with one. */
function withStop(sentence: string): string {
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`
}

function reasonsOf(text: string): string[] {
  const { reasons, message } = parse(text) ?? {}
  const listed = reasons ?? (isRecord(message) ? message['base'] : undefined)
  return Array.isArray(listed) ? listed.map(String) : []
}

/** Matches a page of a proxy or of another server. */
const isPage = /^\s*</

/** Matches messages that only repeat the status. */
const bare = /^(Unauthorized|Forbidden|Not found|Bad request|Internal Server Error)$/i

const standard: Record<number, string> = {
  401: 'You are not signed in, or your session has expired. Sign in again.',
  403: 'You don’t have permission to do this.',
  404: 'This does not exist, or you don’t have access to it.',
  413: 'The file is too large.',
  429: 'Too many requests; wait a moment and try again.',
  500: 'An unexpected error occurred on the server. Its log has the details.',
  502: 'The server cannot be reached.',
  503: 'The server cannot do this at the moment; try again.',
}

function listed(problems: unknown): string {
  return Array.isArray(problems) ? problems.join(', ') : String(problems)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const body: unknown = JSON.parse(text)
    return isRecord(body) ? body : undefined
  } catch {
    return undefined
  }
}
