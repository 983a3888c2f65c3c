import type { IncomingHttpHeaders } from 'node:http'
import { parameterProblem } from '../../platform/failure.ts'
import type { Credentials } from '../guard.ts'
import type { RawParams } from '../params/raw-params.ts'
import { readCookie } from './cookies.ts'

/**
 * Returns the credentials of a request. As on GitLab, bearer tokens take precedence over private tokens, and the query or
 * form over headers. Blank tokens are ignored. The session cookie is read only where the route accepts it.
 */
export function readCredentials(
  headers: IncomingHttpHeaders,
  { sender, isCookieRead, origin }: { sender: Credentials; isCookieRead: boolean; origin: string },
  query: RawParams,
  form?: RawParams,
): Credentials {
  const token = firstText(
    query['access_token'],
    query['bearer_token'],
    headers.authorization === undefined ? undefined : /^bearer\s+(\S+)\s*$/i.exec(headers.authorization)?.[1],
    query['private_token'],
    form?.['private_token'],
    headers['private-token'],
  )
  const sudo = readSudo(form?.['sudo'], query['sudo'], headers['sudo'])
  const session = isCookieRead && !token ? readCookie(headers.cookie, 'alcove_session', origin) : undefined
  // A literal, because spreading conditional parts takes a tenth of the time of a small response.
  return {
    isReading: sender.isReading,
    address: sender.address,
    isLocal: sender.isLocal,
    resourceId: sender.resourceId,
    token,
    sudo,
    session,
  }
}

export function hasCredentials({ token, session }: Credentials): boolean {
  return token !== undefined || session !== undefined
}

export function withSudo({ sudo: _sudo, ...credentials }: Credentials, sudo: string | undefined): Credentials {
  return sudo === undefined ? credentials : { ...credentials, sudo }
}

/**
 * Returns the user that an administrator acts as: the first value that is given. A blank name is kept and matches no
 * user, so that a script with an empty variable does not act as the administrator. Throws for a list or an object.
 */
export function readSudo(...values: unknown[]): string | undefined {
  const named = values.find((value) => value !== undefined && value !== null && value !== false)
  if (named === undefined) return undefined
  if (typeof named === 'object' || String(named).includes('\0')) throw parameterProblem('sudo is invalid')
  return String(named)
}

/** Header that, with the value `1`, lets a request below /api/ authenticate with the session cookie. */
export const sessionHeader = 'x-alcove-session'

/** Parameters that contain credentials. */
export const credentialNames: readonly string[] = ['access_token', 'bearer_token', 'private_token', 'sudo']

/** Returns true when the query contains a secret, so that the response must not be cached. */
export function hasSecret(query: RawParams): boolean {
  return 'private_token' in query || 'access_token' in query || 'bearer_token' in query
}

function firstText(...values: unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === 'string' && value.trim() !== '')?.trim()
}
