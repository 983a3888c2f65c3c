import { Failure, refused, unauthenticated } from '../../platform/failure.ts'
import type { Client } from '../access/callers.ts'
import { type Deps, transaction } from '../deps.ts'
import { attemptChallenge, useChallenge } from '../second-factors/challenges.ts'
import { passkeyOptions, recordPasskeyUse, verifyPasskey } from '../second-factors/passkeys.ts'
import type { SecondFactorProof } from '../second-factors/second-factor.ts'
import { removeSecondFactorGuesses, verifySecondFactor } from '../second-factors/second-factor-proof.ts'
import { assertActive } from '../tokens/tokens.ts'
import type { User } from '../users/user.ts'
import { findUserById } from '../users/users.ts'
import { recordSignInFailure } from './audited-sign-in.ts'
import { assertPasswordsEnabled } from './passwords/passwords.ts'
import { logSecurity } from './security-log.ts'
import type { SignInMethod } from './session.ts'
import { type NewSession, startSession } from './sign-in.ts'

const expired = 'This sign-in has expired. Enter your password again.'

/** Completes a sign-in whose first factor was right. A challenge permits ten attempts and one session. */
export async function completeSignIn(
  deps: Deps,
  { challenge, ...proof }: SecondFactorProof & { challenge: string },
  client: Client,
  origin: string,
): Promise<NewSession> {
  const attempt = await attemptChallenge(deps, 'second_factor', challenge)
  const user = attempt && (await findUserById(deps.db, attempt.userId ?? 0))
  if (!attempt || !user) throw refused(expired)
  const method = attempt.method ?? 'password'
  try {
    const verified = await verifySecondFactor(deps, user, proof, origin)
    if (!verified) throw unauthenticated()
    const session = await transaction(deps, async (deps) => {
      if (!(await verified.use(deps))) throw unauthenticated()
      if (!(await useChallenge(deps, 'second_factor', challenge))) throw refused(expired)
      return startSession(deps, user, client, { method, secondFactor: verified.method })
    })
    await removeSecondFactorGuesses(deps, user)
    logSecurity(deps, 'sign_in.succeeded', {
      user,
      address: client.address,
      method,
      reason: `with ${verified.method}`,
    })
    return session
  } catch (error) {
    await recordRefusal(deps, error, { user, method, address: client.address })
    throw error
  }
}

/** Returns what a browser needs to sign in with a passkey, also as the second step of a sign-in. */
export async function beginPasskeySignIn(deps: Deps, challenge: string | undefined, origin: string): Promise<object> {
  if (challenge === undefined) assertPasswordsEnabled(deps)
  if (challenge === undefined) return passkeyOptions(deps, null, origin)
  const attempt = await attemptChallenge(deps, 'second_factor', challenge)
  if (!attempt) throw refused(expired)
  return passkeyOptions(deps, attempt.userId, origin)
}

/**
 * Starts a session with a passkey alone, which is both something that the user has and a PIN or biometrics. Where passwords
 * are turned off, only identity providers sign in, so it is refused.
 */
export async function signInWithPasskey(
  deps: Deps,
  response: object,
  client: Client,
  origin: string,
): Promise<NewSession> {
  assertPasswordsEnabled(deps)
  const use = await verifyPasskey(deps, response, origin)
  const user = use && (await findUserById(deps.db, use.passkey.userId))
  try {
    if (!user) throw unauthenticated()
    if (user.state !== 'deactivated') assertActive(user)
    const session = await transaction(deps, async (deps) => {
      if (!(await recordPasskeyUse(deps, use))) throw unauthenticated()
      return startSession(deps, user, client, { method: 'passkey' })
    })
    logSecurity(deps, 'sign_in.succeeded', { user, address: client.address, method: 'passkey' })
    return session
  } catch (error) {
    await recordRefusal(deps, error, { user, method: 'passkey', address: client.address })
    throw error
  }
}

/** Logs a failed attempt and records it in the audit log. */
async function recordRefusal(
  deps: Deps,
  error: unknown,
  { user, method, address }: { user: User | undefined; method: SignInMethod; address: string },
): Promise<void> {
  if (!(error instanceof Failure)) return
  const reason = `second factor: ${error.cause.kind}`
  logSecurity(deps, 'sign_in.failed', { user, address, method, reason })
  await recordSignInFailure(deps, { user, method, reason })
}
