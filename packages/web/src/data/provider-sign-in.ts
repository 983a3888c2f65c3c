import { api } from './api.ts'

/** Opens the page of an identity provider, which leads back to `to`. With `confirm` it reauthenticates the session. */
export async function signInWithProvider(provider: string, body: { to: string; confirm?: boolean }): Promise<void> {
  const { url } = await api.call('POST /-/oidc/{provider}', { path: { provider }, body })
  location.assign(url)
}
