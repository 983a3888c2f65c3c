import { jwtVerify } from 'jose'
import { authorizationCodeGrant, type Configuration, fetchUserInfo } from 'openid-client'
import type { OidcProvider } from '../../platform/oidc-settings.ts'
import { NoKeys } from '../bots/trust/issuer-keys.ts'
import { algorithms } from '../bots/trust/unverified-token.ts'
import type { Deps } from '../deps.ts'
import type { Claims } from './claims.ts'
import { type FlowSecrets, proofsOf } from './flows.ts'
import { clockToleranceSeconds, keyFinder, openClient } from './provider-client.ts'

/** What the provider states about the user who signed in. */
export interface SignedInAtProvider {
  /** Claims of the ID token and, where it lacks them, of the userinfo endpoint. */
  claims: Claims
  idToken: string
}

/** Parameters of the provider's authorization response. */
export interface AuthorizationResponse {
  code?: string | undefined
  state?: string | undefined
  iss?: string | undefined
  error?: string | undefined
}

/**
 * Exchanges the code for tokens and validates them: state, issuer, audience, nonce, times and signature. Throws errors of
 * the libraries, and `NoResponse`.
 */
export async function exchangeCode(
  deps: Deps,
  provider: OidcProvider,
  response: AuthorizationResponse,
  { secrets, redirectUri }: { secrets: FlowSecrets; redirectUri: string },
): Promise<SignedInAtProvider> {
  const client = await openClient(deps, provider)
  const { verifier, nonce } = proofsOf(secrets)
  const tokens = await authorizationCodeGrant(client, responseUrl(redirectUri, response), {
    pkceCodeVerifier: verifier,
    expectedState: secrets.state,
    expectedNonce: nonce,
    idTokenExpected: true,
  })
  const { id_token: idToken = '', access_token: accessToken } = tokens
  await verifySignature(deps, provider, client, idToken)
  const claims: Claims = tokens.claims() ?? {}
  const hasUserInfo = provider.readsUserInfo && client.serverMetadata().userinfo_endpoint !== undefined
  const userInfo = hasUserInfo ? await fetchUserInfo(client, accessToken, String(claims['sub'])) : {}
  return { claims: { ...userInfo, ...claims }, idToken }
}

function responseUrl(redirectUri: string, response: AuthorizationResponse): URL {
  const url = new URL(redirectUri)
  for (const [name, value] of Object.entries(response)) if (value !== undefined) url.searchParams.set(name, value)
  return url
}

/** Verifies the signature as well, although the token came from the provider directly: its issuer may be without TLS. */
async function verifySignature(
  deps: Deps,
  provider: OidcProvider,
  client: Configuration,
  idToken: string,
): Promise<void> {
  await jwtVerify(idToken, keyOf(deps, provider, client), {
    algorithms,
    issuer: client.serverMetadata().issuer,
    audience: provider.clientId,
    clockTolerance: clockToleranceSeconds,
    currentDate: new Date(deps.now()),
  })
}

/** Returns the function with which jose finds the key of a token of this provider. */
function keyOf(deps: Deps, provider: OidcProvider, client: Configuration) {
  const { issuer, jwks_uri: jwksUrl = null } = client.serverMetadata()
  if (issuer.startsWith('https:') && jwksUrl?.startsWith('https:') === false) {
    throw new NoKeys('the address of the keys is without TLS')
  }
  const source = { issuer, jwksUrl, jwks: null, reachesPrivate: deps.settings.oidc.reachesPrivate }
  const findKey = keyFinder(provider)
  return (...[header, token]: [Parameters<typeof findKey>[2], Parameters<typeof findKey>[3]]) =>
    findKey(deps, source, header, token)
}
