import { RequestFailed } from '@alcove/client'

/** Exit codes of every command. */
export const exitCodes = {
  passed: 0,
  /** The gate failed. */
  policy: 1,
  /** The arguments, the settings or a file are not valid, or the server rejected the request. */
  usage: 2,
  /** The server did not respond, or could not serve the request. */
  unreachable: 3,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** Ends the command with a message and an exit code. */
export class CommandFailed extends Error {
  readonly exitCode: ExitCode

  constructor(exitCode: ExitCode, message: string) {
    super(message)
    this.name = 'CommandFailed'
    this.exitCode = exitCode
  }
}

/** Creates the error for arguments, settings or files that are not valid. */
export function wrongUsage(message: string): CommandFailed {
  return new CommandFailed(exitCodes.usage, message)
}

/** Creates the error for a server that does not respond. */
export function unreachable(message: string): CommandFailed {
  return new CommandFailed(exitCodes.unreachable, message)
}

/** Turns any error into one that ends the command. Errors that are bugs are thrown again. */
export function readFailure(error: unknown): CommandFailed {
  if (error instanceof CommandFailed) return error
  if (error instanceof RequestFailed) return rejected(error)
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (/^E[A-Z]{3,}$/.test(code)) return wrongUsage(error instanceof Error ? error.message : code)
  throw error
}

function rejected({ status, message, detail, scopes }: RequestFailed): CommandFailed {
  if (status >= 500 || status === 429) {
    return unreachable(`The server cannot serve the request (${status}): ${message}${hints[status] ?? ''}`)
  }
  const reason = detail === undefined ? '.' : `: ${detail}`
  if (status === 401) return wrongUsage(`The server rejected the token (401)${reason}\n${hints[401]}`)
  if (scopes.length > 0) {
    return wrongUsage(
      `The token lacks a scope (403). It needs ${scopes.join(' or ')}.\nCreate a token with that scope: the scopes of a token cannot be changed.`,
    )
  }
  if (status === 403) return wrongUsage(`The server rejected the request (403): ${detail ?? hints[403]}`)
  const hint = hints[status] ? `\n${hints[status]}` : ''
  return wrongUsage(`The server rejected the request (${status}): ${message}${hint}`)
}

/** What the user can do about a rejected request. */
const hints: Partial<Record<number, string>> = {
  401:
    'Check ALCOVE_TOKEN: it is misspelled, expired or revoked, or belongs to another server. ' +
    'Create a token in the web UI, or sign in with: alcove login',
  403:
    'the user of the token needs a higher role. Developers of a project send reports and list vulnerabilities; ' +
    'maintainers change them.',
  404:
    'Check the name and ALCOVE_URL, and that the user of the token may read it: a hidden project looks like a missing ' +
    'one.\nalcove upload creates a missing project if the token has the scope api and its user may create projects there.',
  502: '\nCheck that ALCOVE_URL is the address of Alcove itself: a proxy or another program answered.',
}
