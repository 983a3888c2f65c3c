import { authorizationCodeGrant, fetchUserInfo } from 'openid-client'
import type { OidcProvider } from '../../platform/settings/oidc-settings.ts'
import type { Deps } from '../deps.ts'
import type { Claims } from './claims.ts'
import { type FlowSecrets, proofsOf } from './flows.ts'
import { openClient, verifyToken } from './provider-client.ts'

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
  // Verified although the token came from the provider directly: its issuer may be without TLS.
  await verifyToken(deps, { provider, client }, idToken)
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
