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

function rejected({ status, message }: RequestFailed): CommandFailed {
  if (status >= 500 || status === 429) return unreachable(`The server cannot serve the request (${status}): ${message}`)
  return wrongUsage(`The server rejected the request (${status}): ${message}${hints[status] ?? ''}`)
}

/** What the user can do about a rejected request. */
const hints: Partial<Record<number, string>> = {
  401: '\nCheck ALCOVE_TOKEN, or sign in with: alcove login',
  403: '\nThe token has too few rights: it needs another role in the project, or another scope.',
  404: '\nCheck the name, and that the token may read it. Private projects are invisible to other users.',
}
