import { api } from './api.ts'

/** Opens the page of an identity provider, which leads back to `to`. With `confirm` it reauthenticates the session. */
export async function signInWithProvider(provider: string, body: { to: string; confirm?: boolean }): Promise<void> {
  const { url } = await api.call('POST /-/oidc/{provider}', { path: { provider }, body })
  location.assign(url)
}

const signOutState = 'alcove-sign-out'

/** Opens the page of the identity provider that ends its session, and leads back to the sign-in page with its `state`. */
export function signOutAtProvider(url: string): void {
  sessionStorage.setItem(signOutState, new URL(url).searchParams.get('state') ?? '')
  location.assign(url)
}

/** Returns true when the browser comes back from the page that `signOutAtProvider` opened. */
export function isSignOutComplete(state: string | undefined): boolean {
  return state !== undefined && state === sessionStorage.getItem(signOutState)
}
