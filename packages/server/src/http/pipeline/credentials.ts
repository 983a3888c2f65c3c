import type { IncomingHttpHeaders } from 'node:http'
import { parameterProblem } from '../../platform/failure.ts'
import type { Credentials } from '../guard.ts'
import type { Bag } from '../params/bag.ts'
import { readCookie } from './cookies.ts'

/**
 * Who a request says it comes from. Bearer sources come before the private token, and a token in the query or form
 * before the one in the header (contract 1.5). A blank one means nobody. The cookie is read where it counts only.
 */
export function readCredentials(
  headers: IncomingHttpHeaders,
  options: { isReading: boolean; isCookieRead: boolean; address: string; isLocal: boolean; origin: string },
  query: Bag,
  form?: Bag,
): Credentials {
  const token = firstText(
    query['access_token'],
    query['bearer_token'],
    /^bearer\s+(\S+)\s*$/i.exec(headers.authorization ?? '')?.[1],
    query['private_token'],
    form?.['private_token'],
    headers['private-token'],
  )
  const sudo = readSudo(form?.['sudo'], query['sudo'], headers['sudo'])
  const session = options.isCookieRead ? readCookie(headers.cookie, 'alcove_session', options.origin) : undefined
  return {
    isReading: options.isReading,
    address: options.address,
    isLocal: options.isLocal,
    ...(token && { token }),
    ...(sudo !== undefined && { sudo }),
    ...(session && !token && { session }),
  }
}

export function hasCredentials({ token, session }: Credentials): boolean {
  return token !== undefined || session !== undefined
}

export function withSudo({ sudo: _sudo, ...credentials }: Credentials, sudo: string | undefined): Credentials {
  return sudo === undefined ? credentials : { ...credentials, sudo }
}

/**
 * Whom an administrator acts for, as the first of these says. A blank name is one that nobody has: a script whose
 * variable is empty must not act as the administrator himself. Of a list nobody knows whom it means.
 */
export function readSudo(...values: unknown[]): string | undefined {
  const named = values.find((value) => value !== undefined && value !== null && value !== false)
  if (named === undefined) return undefined
  if (typeof named === 'object' || String(named).includes('\0')) throw parameterProblem('sudo is invalid')
  return String(named)
}

/** With the value `1`: the request below /api/ is meant to be sent by whoever is signed in. */
export const sessionHeader = 'x-alcove-session'

/** Parameters that say who sends a request. */
export const credentialNames: readonly string[] = ['access_token', 'bearer_token', 'private_token', 'sudo']

/** True when the query holds a secret, which must not be remembered with the answer. */
export function hasSecret(query: Bag): boolean {
  return 'private_token' in query || 'access_token' in query || 'bearer_token' in query
}

function firstText(...values: unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === 'string' && value.trim() !== '')?.trim()
}
