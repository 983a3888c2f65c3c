import { buildEndSessionUrl } from 'openid-client'
import type { OidcProvider } from '../../platform/settings/oidc-settings.ts'
import type { Caller } from '../access/callers.ts'
import type { Deps } from '../deps.ts'
import type { ProviderSession } from '../sign-in/session.ts'
import { leaveSession } from '../sign-in/sessions.ts'
import { findClient } from './provider-client.ts'

/** A longer ID token would make the address too long for some servers. */
const maxHintLength = 4000

/**
 * Ends the caller's session. Returns the address at its identity provider that a browser opens next to end the session
 * there too, and that leads back to `returnTo`; `undefined` when there is nothing to end.
 */
export async function signOut(deps: Deps, caller: Caller, returnTo: string): Promise<string | undefined> {
  const session = await leaveSession(deps, caller)
  const provider = deps.settings.oidc.providers.find(({ key }) => key === session?.provider)
  return session && provider?.signsOut ? addressAtProvider(deps, provider, session, returnTo) : undefined
}

async function addressAtProvider(
  deps: Deps,
  provider: OidcProvider,
  { subject, idToken }: ProviderSession,
  returnTo: string,
): Promise<string | undefined> {
  const client = await findClient(deps, provider)
  if (!client || !isUsable(client.serverMetadata().end_session_endpoint, provider)) return undefined
  const isSendable = idToken !== null && idToken.length <= maxHintLength
  return buildEndSessionUrl(client, {
    ...(isSendable ? { id_token_hint: idToken } : { logout_hint: subject }),
    client_id: provider.clientId,
    post_logout_redirect_uri: returnTo,
    state: deps.random(32).toString('base64url'),
  }).href
}

/** Returns true for a web address, which needs TLS if the issuer has it. */
function isUsable(endpoint: string | undefined, { issuer }: OidcProvider): boolean {
  if (endpoint === undefined || !URL.canParse(endpoint)) return false
  const { protocol } = new URL(endpoint)
  return protocol === 'https:' || (protocol === 'http:' && issuer.startsWith('http:'))
}
