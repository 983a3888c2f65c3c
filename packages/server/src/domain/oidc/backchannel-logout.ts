import { hash } from 'node:crypto'
import type { JWTVerifyResult } from 'jose'
import { Failure } from '../../platform/failure.ts'
import type { OidcProvider } from '../../platform/settings/oidc-settings.ts'
import type { Client } from '../access/callers.ts'
import { networkOf } from '../access/client-network.ts'
import { countGuess } from '../access/password-guesses.ts'
import { readUnverified } from '../bots/trust/unverified-token.ts'
import { type Deps, transaction } from '../deps.ts'
import { logSecurity } from '../sign-in/security-log.ts'
import { endSessionsOfIssuer } from '../sign-in/sessions.ts'
import { deleteExpiredLogoutTokens, insertLogoutToken } from './logout-token-queries.ts'
import { isErrorOfProvider, isOutageOfProvider, openClient, verifyToken } from './provider-client.ts'

const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout'
/** Older tokens are refused, so that the table of used ones stays small. */
const maxAgeMinutes = 10
/** The time for which a used token is kept: its maximum age, and the tolerance for clocks on both sides. */
const keptMinutes = maxAgeMinutes + 5

/** Reason for which a logout token is refused. */
class Refused extends Error {}

/**
 * Ends the sessions that a logout token of the provider names: those of its subject, of its session, or of both. Whether
 * there were any is not revealed. Valid tokens are not limited, because a provider may end many sessions at once;
 * invalid ones are, per address.
 */
export async function endSessionsByToken(
  deps: Deps,
  provider: OidcProvider,
  logoutToken: string,
  { address }: Client,
): Promise<void> {
  try {
    const { issuer, tokenId, ...ended } = readLogout(await verify(deps, provider, logoutToken))
    await transaction(deps, async (deps) => {
      const expiresAt = new Date(Date.parse(deps.now()) + keptMinutes * 60 * 1000).toISOString()
      const isNew = await insertLogoutToken(deps.db, hash('sha256', `${issuer}\n${tokenId}`), expiresAt)
      if (!isNew) throw new Refused('the token was used before')
      await endSessionsOfIssuer(deps, issuer, ended)
    })
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    await countGuess(deps, `logout tokens from ${networkOf(address)}`)
    const reason = `${provider.key}: ${error.message}`
    logSecurity(deps, 'logout_token.refused', { address, reason, method: 'provider' })
    deps.log.debug({ err: error, provider: provider.key }, 'a logout token was refused')
    const sentence = 'The logout token is not valid, or it could not be verified.'
    throw new Failure({ kind: 'invalid-oauth-request', sentence })
  }
}

export async function removeUsedLogoutTokens(deps: Deps): Promise<void> {
  await deleteExpiredLogoutTokens(deps.db, deps.now())
}

async function verify(deps: Deps, provider: OidcProvider, token: string): Promise<JWTVerifyResult> {
  // Checked first, because it costs less than a signature.
  if (readUnverified(token)?.['iss'] === undefined) throw new Refused('the token is malformed')
  try {
    const client = await openClient(deps, provider)
    return await verifyToken(deps, { provider, client }, token, {
      requiredClaims: ['iat', 'jti', 'events'],
      maxTokenAge: `${maxAgeMinutes} minutes`,
    })
  } catch (error) {
    if (isOutageOfProvider(error)) throw new Refused('the provider does not respond', { cause: error })
    if (isErrorOfProvider(error)) throw new Refused('signature or claims are not valid', { cause: error })
    throw error
  }
}

/** Reads what a logout token ends. Throws `Refused` for a token of another kind, such as an ID token. */
function readLogout({ payload, protectedHeader }: JWTVerifyResult) {
  const { iss: issuer, sub: subject, jti: tokenId, sid, nonce, events } = payload
  const type = protectedHeader.typ?.toLowerCase().replace(/^application\//, '') ?? 'jwt'
  if (!['jwt', 'logout+jwt'].includes(type)) throw new Refused('the token has another type')
  if (!isObject(events) || !isObject(events[logoutEvent])) throw new Refused('the token is for another event')
  if (nonce !== undefined) throw new Refused('the token has a nonce')
  if (!isText(issuer) || !isText(tokenId)) throw new Refused('the issuer or the id of the token is not a text')
  const isRight = [subject, sid].every((value) => value === undefined || isText(value))
  if (!isRight || (subject === undefined && sid === undefined)) throw new Refused('the token names no session')
  return { issuer, tokenId, subject: isText(subject) ? subject : null, sid: isText(sid) ? sid : null }
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
