import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser'
import { api } from './api.ts'

/** Loaded when it is needed, because few pages use passkeys. */
const load = () => import('@simplewebauthn/browser')

/** Returns true when the browser has passkeys: on HTTPS and on localhost. */
export function hasPasskeys(): boolean {
  return typeof PublicKeyCredential === 'function'
}

/** Creates a passkey on a device of the user. Returns `undefined` when the user cancels. */
export async function createPasskey(options: object): Promise<Record<string, unknown> | undefined> {
  const { startRegistration } = await load()
  const optionsJSON = options as PublicKeyCredentialCreationOptionsJSON // made by the server for this call
  return unlessCancelled(startRegistration({ optionsJSON }))
}

/**
 * Signs a challenge of the server with a passkey: of the user whose sign-in waits for its second step, or any that the
 * user chooses. Returns `undefined` when the user cancels.
 */
export async function signWithPasskey(signIn?: string): Promise<Record<string, unknown> | undefined> {
  const body = signIn === undefined ? {} : { challenge: signIn }
  const [{ startAuthentication }, options] = await Promise.all([
    load(),
    api.call('POST /-/passkeys/challenge', { body }),
  ])
  const optionsJSON = options as unknown as PublicKeyCredentialRequestOptionsJSON // made by the server for this call
  return unlessCancelled(startAuthentication({ optionsJSON }))
}

async function unlessCancelled(response: Promise<object>): Promise<Record<string, unknown> | undefined> {
  try {
    return { ...(await response) }
  } catch (error) {
    // Browsers report a closed dialog, a timeout and the lack of a passkey alike.
    if (error instanceof Error && ['NotAllowedError', 'AbortError'].includes(error.name)) return undefined
    throw error
  }
}
