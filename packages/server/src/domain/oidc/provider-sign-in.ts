import { AuthorizationResponseError, buildAuthorizationUrl, calculatePKCECodeChallenge } from 'openid-client'
import { Failure, forbidden, notFound, unavailable } from '../../platform/failure.ts'
import type { OidcProvider } from '../../platform/settings/oidc-settings.ts'
import type { Caller, Client } from '../access/callers.ts'
import { valuesOf } from '../bots/trust/claims.ts'
import { type Deps, transaction } from '../deps.ts'
import { recordSignInFailure } from '../sign-in/audited-sign-in.ts'
import { logSecurity } from '../sign-in/security-log.ts'
import { renewSession } from '../sign-in/sessions.ts'
import { type NewSession, startSession } from '../sign-in/sign-in.ts'
import { lockUser } from '../users/users.ts'
import { applyMapping } from './apply-mapping.ts'
import { type Claims, findClaim } from './claims.ts'
import type { Flow } from './flow.ts'
import { type FlowSecrets, openFlow, proofsOf, useFlow } from './flows.ts'
import { findOrCreateUser } from './identified-user.ts'
import { findIdentity, updateIdentity } from './identity-queries.ts'
import { mapClaims } from './mapping.ts'
import {
  clockToleranceSeconds,
  isErrorOfProvider,
  isOutageOfProvider,
  isTooLarge,
  openClient,
} from './provider-client.ts'
import { type SignInProblem, SignInRefused } from './sign-in-problem.ts'
import { type AuthorizationResponse, exchangeCode, type SignedInAtProvider } from './token-exchange.ts'

/** Result of a sign-in with a provider. */
export interface Outcome {
  /** Path of this server to open. */
  returnTo: string
  /** Absent after a refusal, and after a session was reauthenticated. */
  session?: NewSession
  problem?: SignInProblem
}

export function getProvider({ settings }: Deps, key: string): OidcProvider {
  const provider = settings.oidc.providers.find((provider) => provider.key === key)
  if (!provider) throw notFound('Identity provider')
  return provider
}

/**
 * Begins a sign-in. Returns the provider's address to redirect to, and the secret for the browser's cookie. With
 * `isConfirmation` it reauthenticates the caller's session instead.
 */
export async function beginSignIn(
  deps: Deps,
  caller: Caller | null,
  provider: OidcProvider,
  asked: { returnTo: string; isConfirmation: boolean; browser: string | undefined; redirectUri: string },
): Promise<{ url: string; browser: string }> {
  if (asked.isConfirmation && caller?.token.provider !== provider.key) throw forbidden()
  const client = await openClient(deps, provider).catch((error: unknown) => {
    if (!isOutageOfProvider(error) && !isErrorOfProvider(error)) throw error
    throw unavailable(provider.name, messageOf(error))
  })
  const sessionId = asked.isConfirmation ? (caller?.token.id ?? null) : null
  const flow = { provider: provider.key, returnTo: ownPath(asked.returnTo), sessionId }
  const secrets = await openFlow(deps, flow, asked.browser)
  const { verifier, nonce } = proofsOf(secrets)
  const url = buildAuthorizationUrl(client, {
    redirect_uri: asked.redirectUri,
    scope: provider.scopes,
    state: secrets.state,
    nonce,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...(asked.isConfirmation && { prompt: 'login', max_age: '0' }),
  })
  return { url: url.href, browser: secrets.browser }
}

/** Completes a sign-in with the provider's response. Never throws for what a user or a provider can cause. */
export async function completeSignIn(
  deps: Deps,
  provider: OidcProvider,
  response: AuthorizationResponse,
  {
    caller,
    client,
    browser,
    redirectUri,
  }: {
    caller: Caller | null
    client: Client
    browser: string | undefined
    redirectUri: string
  },
): Promise<Outcome> {
  const secrets = { state: response.state ?? '', browser: browser ?? '' }
  const flow = await useFlow(deps, provider.key, secrets)
  try {
    if (!flow) throw new SignInRefused('expired', 'unknown state')
    const signedIn = await exchange(deps, provider, response, { secrets, redirectUri })
    if (flow.sessionId !== null) return await confirm(deps, caller, flow, signedIn)
    return { returnTo: flow.returnTo, session: await signIn(deps, provider, signedIn, client) }
  } catch (error) {
    if (!(error instanceof SignInRefused)) throw error
    const { message: reason, problem } = error
    logSecurity(deps, 'sign_in.failed', {
      address: client.address,
      method: 'provider',
      reason: `${problem}: ${reason}`,
    })
    await recordSignInFailure(deps, { method: 'provider', reason: problem })
    deps.log.debug({ err: error, provider: provider.key }, 'a sign-in with a provider failed')
    return { returnTo: flow?.returnTo ?? '/', problem }
  }
}

async function exchange(
  deps: Deps,
  provider: OidcProvider,
  response: AuthorizationResponse,
  context: { secrets: FlowSecrets; redirectUri: string },
): Promise<SignedInAtProvider> {
  try {
    return await exchangeCode(deps, provider, response, context)
  } catch (error) {
    throw refusalFor(error)
  }
}

/** Returns the refusal for an error of the exchange. Anything else is a bug, and is returned unchanged. */
function refusalFor(error: unknown): unknown {
  const refuse = (problem: SignInProblem, why: string) => new SignInRefused(problem, why, { cause: error })
  if (error instanceof AuthorizationResponseError) return refuse(problemOf(error.error), 'the provider refused')
  if (isTooLarge(error)) return refuse('too_many_claims', 'the response is too large')
  if (isOutageOfProvider(error)) return refuse('unavailable', 'the provider does not respond')
  return isErrorOfProvider(error) ? refuse('invalid', messageOf(error)) : error
}

function problemOf(code: string): SignInProblem {
  if (['access_denied', 'consent_required', 'interaction_required', 'login_required'].includes(code)) return 'denied'
  return ['server_error', 'temporarily_unavailable'].includes(code) ? 'unavailable' : 'invalid'
}

async function signIn(
  deps: Deps,
  provider: OidcProvider,
  { claims, idToken }: SignedInAtProvider,
  client: Client,
): Promise<NewSession> {
  assertAllowed(provider, claims)
  const rights = mapClaims(provider, claims)
  const { user, identity } = await findOrCreateUser(deps, provider, claims)
  const now = deps.now()
  const sid = claims['sid']
  const recorded = {
    id: identity.id,
    sid: typeof sid === 'string' ? sid : null,
    idToken: idToken.length <= maxIdTokenLength ? idToken : null,
  }
  try {
    const session = await transaction(deps, async (deps) => {
      const current = (await lockUser(deps.db, user.id)) ?? user
      const known = (await findIdentity(deps.db, identity.issuer, identity.subject)) ?? identity
      const outcome = await applyMapping(deps, { user: current, identity: known }, rights)
      await updateIdentity(deps.db, identity.id, { provider: provider.key, claims: shownClaims(claims), outcome }, now)
      const start = { method: 'provider' as const, identity: recorded, authenticatedAt: authenticatedAt(claims, now) }
      return startSession(deps, user, client, start)
    })
    logSecurity(deps, 'sign_in.succeeded', { user, address: client.address, method: 'provider' })
    return session
  } catch (error) {
    // The user was blocked meanwhile.
    if (error instanceof Failure) throw new SignInRefused('blocked', error.cause.kind, { cause: error })
    throw error
  }
}

/** Claims that describe the token and not the user, or are too many to be shown. */
const technicalClaims = ['at_hash', 'aud', 'azp', 'c_hash', 'exp', 'iat', 'jti', 'nbf', 'nonce', 's_hash', 'sid']
const maxShownLength = 64 * 1024

/** Returns the claims that administrators see later. */
function shownClaims(claims: Claims): object {
  const shown = Object.entries(claims).filter(([name]) => !technicalClaims.includes(name))
  const text = JSON.stringify(Object.fromEntries(shown))
  return text.length <= maxShownLength ? Object.fromEntries(shown) : { sub: claims['sub'] }
}

const maxIdTokenLength = 16 * 1024

function assertAllowed({ requires }: OidcProvider, claims: Claims): void {
  const isAllowed = requires.some(({ claim, value }) => valuesOf(findClaim(claims, claim)).includes(value))
  if (requires.length > 0 && !isAllowed) throw new SignInRefused('not_allowed', 'no required claim')
}

/** Reauthenticates the caller's session, if the same account has signed in at the provider since the flow began. */
async function confirm(
  deps: Deps,
  caller: Caller | null,
  flow: Flow,
  { claims }: SignedInAtProvider,
): Promise<Outcome> {
  const { returnTo, sessionId } = flow
  const identity = await findIdentity(deps.db, String(claims['iss']), String(claims['sub']))
  if (!caller || caller.token.id !== sessionId || identity?.userId !== caller.user.id) {
    throw new SignInRefused('other_user', 'another session or account')
  }
  const enteredAt = claims['auth_time']
  const earliest = Date.parse(flow.createdAt) / 1000 - clockToleranceSeconds
  // Providers that state no time cannot be asked for more.
  if (typeof enteredAt === 'number' && enteredAt < earliest) throw new SignInRefused('invalid', 'no new authentication')
  await renewSession(deps, caller.token.id)
  logSecurity(deps, 'session.confirmed', { user: caller.user, method: 'provider' })
  return { returnTo }
}

/** Returns the time at which the user entered credentials at the provider, which may be long ago, else `now`. */
function authenticatedAt(claims: Claims, now: string): string {
  const seconds = claims['auth_time']
  if (typeof seconds !== 'number' || !(seconds >= 0) || seconds * 1000 > Date.parse(now)) return now
  return new Date(seconds * 1000).toISOString()
}

const maxPathLength = 2000

/** Returns the path if it is one of this server, otherwise the start page. Prevents open redirects. */
function ownPath(path: string): string {
  const base = 'https://server.invalid'
  const isPath = /^\/[\x21-\x7e]*$/.test(path) && path.length <= maxPathLength && URL.canParse(path, base)
  const url = isPath ? new URL(path, base) : undefined
  // A path that begins with two slashes names another host, even after parsing.
  return url?.origin === base && !url.pathname.startsWith('//') ? url.pathname + url.search + url.hash : '/'
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
