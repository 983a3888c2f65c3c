import { hash } from 'node:crypto'
import { Failure, invalid, unauthenticated } from '../../platform/failure.ts'
import type { Caller } from '../access/callers.ts'
import { type Deps, transaction } from '../deps.ts'
import { revokePersonalTokensOf } from '../tokens/token-queries.ts'
import { assertActive } from '../tokens/tokens.ts'
import type { User } from '../users/user.ts'
import { findUserById, updatePasswordHash } from '../users/user-queries.ts'
import { networkOf } from './client-network.ts'
import {
  deleteExpiredPasswordLinks,
  deletePasswordLink,
  deletePasswordLinksOf,
  findPasswordLink,
  insertPasswordLink,
} from './password-link-queries.ts'
import { passwordProblems } from './password-policy.ts'
import { hashPassword } from './passwords.ts'
import { proveOwnPassword } from './reauthentication.ts'
import { logSecurity } from './security-log.ts'
import { deleteSessionsOf, updateAuthenticatedAt } from './session-queries.ts'
import { type Client, type NewSession, startPasswordSession } from './sign-in.ts'

const linkHours = 24

export interface NewPassword {
  password: string
  /** Revokes the user's personal access tokens as well. */
  revokesTokens: boolean
}

/**
 * Changes the caller's password after checking the current one. Ends all other sessions of the user, and renews this
 * session's authentication.
 */
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
    await updatePasswordHash(deps.db, user.id, passwordHash, deps.now())
    await deletePasswordLinksOf(deps.db, user.id)
    await deleteSessionsOf(deps.db, user.id, sessionId)
    await updateAuthenticatedAt(deps.db, sessionId, deps.now())
    if (revokesTokens) await revokePersonalTokensOf(deps.db, user.id)
  })
  logSecurity(deps, 'password.changed', { user, ...(revokesTokens && { reason: 'tokens revoked too' }) })
}

/**
 * Creates a link that sets this user's password once, and returns its secret. Only a digest of the secret is stored.
 * The user's older links stop working.
 */
export async function createPasswordLink(deps: Deps, userId: number): Promise<{ secret: string; expiresAt: string }> {
  const secret = deps.random(32).toString('base64url')
  const now = deps.now()
  const expiresAt = new Date(Date.parse(now) + linkHours * 60 * 60 * 1000).toISOString()
  await transaction(deps, async (deps) => {
    await deletePasswordLinksOf(deps.db, userId)
    await insertPasswordLink(deps.db, userId, digestLink(secret), expiresAt, now)
  })
  return { secret, expiresAt }
}

/** Creates a password link at an administrator's request, and logs it. */
export async function issuePasswordLink(
  deps: Deps,
  caller: Caller,
  user: User,
): Promise<{ secret: string; expiresAt: string }> {
  const link = await createPasswordLink(deps, user.id)
  logSecurity(deps, 'password_link.created', { user, by: caller.user })
  return link
}

/** Sets the password of the user that the link was created for, ends that user's sessions and starts a new one. */
export async function redeemPasswordLink(
  deps: Deps,
  secret: string,
  { password, revokesTokens }: NewPassword,
  client: Client,
): Promise<NewSession> {
  const digest = digestLink(secret)
  const link = await findPasswordLink(deps.db, digest, deps.now())
  const user = link && (await findUserById(deps.db, link.userId))
  if (!user) {
    logSecurity(deps, 'sign_in.failed', { address: client.address, reason: 'unknown link', method: 'link' })
    throw unauthenticated()
  }
  if (user.state !== 'deactivated') assertActive(user)
  assertAcceptable(password, user)
  const passwordHash = await hashPassword(deps, password, networkOf(client.address))
  const session = await transaction(deps, async (deps) => {
    if (!(await deletePasswordLink(deps.db, digest))) throw unauthenticated()
    await updatePasswordHash(deps.db, user.id, passwordHash, deps.now())
    await deleteSessionsOf(deps.db, user.id)
    if (revokesTokens) await revokePersonalTokensOf(deps.db, user.id)
    return startPasswordSession(deps, user, client)
  })
  logSecurity(deps, 'password.changed', { user, address: client.address, method: 'link' })
  logSecurity(deps, 'sign_in.succeeded', { user, address: client.address, method: 'link' })
  return session
}

export async function forgetExpiredPasswordLinks(deps: Deps): Promise<void> {
  await deleteExpiredPasswordLinks(deps.db, deps.now())
}

function assertAcceptable(password: string, user: User): void {
  const problems = passwordProblems(password, user)
  if (problems.length > 0) throw invalid({ password: problems })
}

function digestLink(secret: string): string {
  return hash('sha256', secret)
}

function isWrong(error: unknown): boolean {
  return error instanceof Failure && error.cause.kind === 'unauthenticated'
}
