import { Failure, invalid, unauthenticated } from '../../../platform/failure.ts'
import type { Caller, Client } from '../../access/callers.ts'
import { networkOf } from '../../access/client-network.ts'
import { type Deps, transaction } from '../../deps.ts'
import { revokePersonalTokens } from '../../tokens/issued-tokens.ts'
import { assertActive } from '../../tokens/tokens.ts'
import type { User } from '../../users/user.ts'
import { findUserById, setPasswordHash } from '../../users/users.ts'
import { recordPasswordChange, recordSignInFailure } from '../audited-sign-in.ts'
import { digestLink } from '../link-digest.ts'
import { proveOwnPassword } from '../reauthentication.ts'
import { logSecurity } from '../security-log.ts'
import { updateAuthenticatedAt } from '../session-queries.ts'
import { endAllSessions } from '../sessions.ts'
import { finishFirstFactor, isComplete, type NewSession, type PendingSignIn } from '../sign-in.ts'
import { deletePasswordLink, findPasswordLink } from './password-link-queries.ts'
import { revokePasswordLinks } from './password-links.ts'
import { passwordProblems } from './password-policy.ts'
import { assertPasswordsEnabled, hashPassword } from './passwords.ts'

export interface NewPassword {
  password: string
  /** Revokes the user's personal access tokens as well. */
  revokesTokens: boolean
}

/** Changes the caller's password after checking the current one. Ends all other sessions and renews this one. */
export async function changeOwnPassword(
  deps: Deps,
  caller: Caller,
  current: string,
  { password, revokesTokens }: NewPassword,
): Promise<void> {
  const { user, token } = caller
  await proveOwnPassword(deps, caller, current).catch((error: unknown) => {
    throw isWrong(error) ? invalid({ current_password: ['is invalid'] }) : error
  })
  assertAcceptable(password, user)
  const passwordHash = await hashPassword(deps, password, `user ${user.id}`)
  const sessionId = token.kind === 'session' ? token.id : 0
  await transaction(deps, async (deps) => {
    await setPasswordHash(deps, user.id, passwordHash)
    await revokePasswordLinks(deps, user.id)
    await endAllSessions(deps, user.id, sessionId)
    await updateAuthenticatedAt(deps.db, sessionId, deps.now())
    if (revokesTokens) await revokePersonalTokens(deps, user.id)
    await recordPasswordChange(deps, user, { isByLink: false, revokesTokens })
  })
  logSecurity(deps, 'password.changed', { user, ...(revokesTokens && { reason: 'tokens revoked too' }) })
}

/**
 * Sets the password of the user that the link was created for, ends that user's sessions and signs in. The link stands
 * for the password, so a second factor is still required.
 */
export async function redeemPasswordLink(
  deps: Deps,
  secret: string,
  { password, revokesTokens }: NewPassword,
  client: Client,
): Promise<NewSession | PendingSignIn> {
  assertPasswordsEnabled(deps)
  const link = await findPasswordLink(deps.db, digestLink(secret), deps.now())
  const user = link && (await findUserById(deps.db, link.userId))
  if (!link || !user) {
    logSecurity(deps, 'sign_in.failed', { address: client.address, reason: 'unknown link', method: 'link' })
    await recordSignInFailure(deps, { method: 'link', reason: 'unknown link' })
    throw unauthenticated()
  }
  if (user.state !== 'deactivated') assertActive(user)
  assertAcceptable(password, user)
  const passwordHash = await hashPassword(deps, password, networkOf(client.address))
  const signedIn = await transaction(deps, async (deps) => {
    if (!(await deletePasswordLink(deps.db, link.id))) throw unauthenticated()
    await setPasswordHash(deps, user.id, passwordHash)
    await revokePasswordLinks(deps, user.id)
    await endAllSessions(deps, user.id)
    if (revokesTokens) await revokePersonalTokens(deps, user.id)
    await recordPasswordChange(deps, user, { isByLink: true, revokesTokens })
    return finishFirstFactor(deps, user, client, 'password')
  })
  logSecurity(deps, 'password.changed', { user, address: client.address, method: 'link' })
  if (isComplete(signedIn)) {
    logSecurity(deps, 'sign_in.succeeded', { user, address: client.address, method: 'link' })
  }
  return signedIn
}

function assertAcceptable(password: string, user: User): void {
  const problems = passwordProblems(password, user)
  if (problems.length > 0) throw invalid({ password: problems })
}

function isWrong(error: unknown): boolean {
  return error instanceof Failure && error.cause.kind === 'unauthenticated'
}
