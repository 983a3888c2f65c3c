import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { Deps } from '../deps.ts'
import type { User } from '../users/user.ts'
import { openChallenge, useChallenge } from './challenges.ts'
import { findPasskeyByCredential, listPasskeysOf, updatePasskeyUse } from './passkey-queries.ts'
import type { ChallengeKind, Passkey } from './second-factor.ts'

/** Loaded when it is needed: it takes a few MiB of memory. */
const load = () => import('@simplewebauthn/server')

/** Name of this server in the dialogs of browsers. */
const relyingParty = 'Alcove'
const timeoutMs = 5 * 60 * 1000

/** Returns the options with which a browser creates a passkey that signs in without a username and verifies its user. */
export async function newPasskeyOptions(deps: Deps, user: User, origin: string): Promise<object> {
  const { generateRegistrationOptions } = await load()
  const existing = await listPasskeysOf(deps.db, user.id)
  const { challenge } = await openChallenge(deps, { kind: 'new_passkey', userId: user.id })
  return generateRegistrationOptions({
    rpName: relyingParty,
    rpID: relyingPartyOf(origin),
    userID: userHandle(user.id),
    userName: user.username,
    userDisplayName: user.name,
    challenge: bytesOf(challenge),
    timeout: timeoutMs,
    attestationType: 'none',
    excludeCredentials: existing.map(credentialOf),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
}

/** Returns the options with which a browser uses a passkey: one of the user's, or any that it has for this server. */
export async function passkeyOptions(deps: Deps, userId: number | null, origin: string): Promise<object> {
  const { generateAuthenticationOptions } = await load()
  const allowed = userId === null ? [] : await listPasskeysOf(deps.db, userId)
  const { challenge } = await openChallenge(deps, { kind: 'passkey', userId })
  return generateAuthenticationOptions({
    rpID: relyingPartyOf(origin),
    challenge: bytesOf(challenge),
    timeout: timeoutMs,
    userVerification: 'required',
    ...(allowed.length > 0 && { allowCredentials: allowed.map(credentialOf) }),
  })
}

/** Returns the passkey that a browser has created for the user, or `undefined` when the response is not valid. */
export async function verifyNewPasskey(
  deps: Deps,
  user: User,
  response: object,
  origin: string,
): Promise<Pick<Passkey, 'credentialId' | 'publicKey' | 'signCount' | 'transports'> | undefined> {
  const given = response as RegistrationResponseJSON // the library checks every field that it reads
  const challenge = challengeIn(given)
  if (!(await isOpen(deps, 'new_passkey', challenge, user.id))) return undefined
  const { verifyRegistrationResponse } = await load()
  const verified = await unlessInvalid(() =>
    verifyRegistrationResponse({
      response: given,
      expectedChallenge: challenge,
      expectedOrigin: new URL(origin).origin,
      expectedRPID: relyingPartyOf(origin),
      requireUserVerification: true,
    }),
  )
  if (!verified?.verified) return undefined
  const { id, publicKey, counter, transports = [] } = verified.registrationInfo.credential
  if (id.length > maxCredentialIdLength) return undefined
  return {
    credentialId: id,
    publicKey: Buffer.from(publicKey).toString('base64url'),
    signCount: counter,
    transports: transports
      .filter((name) => /^[a-z-]{1,20}$/.test(name))
      .slice(0, maxTransports)
      .join(','),
  }
}

/** Use of a passkey whose signature is valid. */
export interface PasskeyUse {
  passkey: Passkey
  signCount: number
}

/**
 * Verifies a browser's response to `passkeyOptions` and ends its challenge. Returns `undefined` when it is not valid, such as
 * for a counter that did not grow, which a copied key would cause.
 */
export async function verifyPasskey(deps: Deps, response: object, origin: string): Promise<PasskeyUse | undefined> {
  const given = response as AuthenticationResponseJSON // the library checks every field that it reads
  const passkey = typeof given.id === 'string' ? await findPasskeyByCredential(deps.db, given.id) : undefined
  if (!passkey) return undefined
  const challenge = challengeIn(given)
  if (!(await isOpen(deps, 'passkey', challenge, passkey.userId))) return undefined
  const { verifyAuthenticationResponse } = await load()
  const verified = await unlessInvalid(() =>
    verifyAuthenticationResponse({
      response: given,
      expectedChallenge: challenge,
      expectedOrigin: new URL(origin).origin,
      expectedRPID: relyingPartyOf(origin),
      credential: {
        id: passkey.credentialId,
        publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')),
        counter: passkey.signCount,
      },
      requireUserVerification: true,
    }),
  )
  return verified?.verified ? { passkey, signCount: verified.authenticationInfo.newCounter } : undefined
}

/** Records the use. Returns false when the passkey was used or deleted since it was verified. */
export async function recordPasskeyUse({ db, now }: Deps, { passkey, signCount }: PasskeyUse): Promise<boolean> {
  return updatePasskeyUse(db, passkey, { signCount, at: now() })
}

const maxCredentialIdLength = 2048
const maxTransports = 10

/** Uses the challenge up. One that was opened for a user is valid for that user only. */
async function isOpen(deps: Deps, kind: ChallengeKind, challenge: string, userId: number): Promise<boolean> {
  const found = await useChallenge(deps, kind, challenge)
  return found !== undefined && (found.userId === null || found.userId === userId)
}

/** Returns `undefined` when the library rejects a response, which it does by throwing any kind of error. */
async function unlessInvalid<T>(verify: () => Promise<T>): Promise<T | undefined> {
  try {
    return await verify()
  } catch {
    return undefined
  }
}

/** Returns the challenge that the browser has signed, or an empty text. */
function challengeIn({ response }: { response?: { clientDataJSON?: unknown } }): string {
  const encoded = response?.clientDataJSON
  if (typeof encoded !== 'string') return ''
  try {
    const data: unknown = JSON.parse(Buffer.from(encoded, 'base64url').toString())
    const challenge = typeof data === 'object' && data !== null && 'challenge' in data ? data.challenge : ''
    return typeof challenge === 'string' ? challenge : ''
  } catch {
    return ''
  }
}

function credentialOf({ credentialId, transports }: Passkey) {
  return { id: credentialId, ...(transports !== '' && { transports: transports.split(',') }) }
}

/** Returns the host name, for which browsers keep passkeys. They do so only for names, not for IP addresses. */
function relyingPartyOf(origin: string): string {
  return new URL(origin).hostname
}

/** Authenticators keep one passkey per server and handle. */
function userHandle(userId: number): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`alcove-user-${userId}`)
}

/** The challenge is random bytes in base64url, which is also how browsers repeat it. */
function bytesOf(challenge: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(challenge, 'base64url'))
}
