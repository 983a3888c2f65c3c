import { hash } from 'node:crypto'
import { type Cache, openCache } from '../../db/cache.ts'
import type { Changes } from '../../db/db.ts'
import { notFound } from '../../platform/failure.ts'
import type { Caller } from '../access/callers.ts'
import { userEntity } from '../audit/audit-event.ts'
import { recordAuditEvent } from '../audit/record.ts'
import { type Deps, transaction } from '../deps.ts'
import { endChallengesOf } from '../second-factors/challenges.ts'
import type { AccessToken } from '../tokens/token.ts'
import { findTokenById, isExpired, mayAdminister } from '../tokens/tokens.ts'
import type { User } from '../users/user.ts'
import { findUserById, getUser } from '../users/users.ts'
import { logSecurity } from './security-log.ts'
import type { ProviderSession, Session } from './session.ts'
import {
  deleteExpiredSessions,
  deleteLocalSessions,
  deleteSession,
  deleteSessionsOf,
  deleteSessionsOfIdentity,
  deleteSessionsOfIssuer,
  deleteSessionsOfProvider,
  findProviderSession,
  findSessionByDigest,
  findSessionUse,
  listSessionIssuers,
  listSessionsOf,
  noteSessionUse,
  updateAuthenticatedAt,
} from './session-queries.ts'

/** Maximum age of a session in days, however much it is used. */
export const sessionDays = 14

interface SignedIn {
  session: Session
  user: User
  /** Token that the session was signed in with. */
  token: AccessToken | undefined
}

/** A process's cache of sessions. */
export interface SessionCache {
  sessions: Cache<SignedIn | undefined>
  /** Time in milliseconds at which the use of each session was last recorded, by session id. */
  notedAt: Map<number, number>
}

export function openSessionCache(changes: Changes): SessionCache {
  return {
    sessions: openCache(changes, ['sessions', 'users', 'access_tokens', 'oidc_identities'], 10_000),
    notedAt: new Map(),
  }
}

/** Returns the caller that the cookie belongs to, or `undefined` when the session is unknown or has ended. */
export async function findSignedIn(deps: Deps, secret: string, cache: SessionCache): Promise<Caller | undefined> {
  const key = digestSession(secret)
  const found = await cache.sessions.get(key, () => load(deps, key))
  const now = deps.now()
  if (!found || found.session.expiresAt <= now || found.user.state !== 'active') return undefined
  const { session, user, token } = found
  if (token && (token.isRevoked || isExpired(token, now))) return undefined
  if (await isIdle(deps, session, cache)) {
    await endIdleSession(deps, found)
    return undefined
  }
  noteUse(deps, session.id, now, cache)
  const { id, method, authenticatedAt } = session
  if (token) {
    return {
      user,
      token: { id, kind: 'session', method, scopes: token.scopes, signedInWith: token.id, authenticatedAt },
      isAdmin: mayAdminister(deps, user, token.scopes),
    }
  }
  const isElevated = !deps.settings.adminMode || (session.adminUntil !== null && session.adminUntil > now)
  return {
    user,
    token: {
      id,
      kind: 'session',
      method,
      ...(session.provider !== null && { provider: session.provider }),
      scopes: isElevated ? ['api', 'admin_mode'] : ['api'],
      authenticatedAt,
    },
    isAdmin: user.isAdmin && isElevated,
  }
}

/** Returns true when the session has been unused for so long that it ends. */
async function isIdle(deps: Deps, session: Session, cache: SessionCache): Promise<boolean> {
  const oldest = Date.parse(deps.now()) - deps.settings.sessionIdleMs
  const notedAt = cache.notedAt.get(session.id)
  if (notedAt !== undefined && notedAt > oldest) return false
  // Another process may have recorded a later use.
  const usedAt = (await findSessionUse(deps.db, session.id)) ?? session.createdAt
  return Date.parse(usedAt) <= oldest
}

async function endIdleSession(deps: Deps, { session, user }: SignedIn): Promise<void> {
  if (await deleteSession(deps.db, session.id, user.id)) logSecurity(deps, 'session.expired', { user, reason: 'idle' })
}

async function load(deps: Deps, key: string): Promise<SignedIn | undefined> {
  const session = await findSessionByDigest(deps.db, key)
  const user = session && (await findUserById(deps.db, session.userId))
  if (!user) return undefined
  // Deleting a token deletes its sessions.
  const token = session.tokenId === null ? undefined : await findTokenById(deps.db, session.tokenId)
  return { session, user, token }
}

/** Returns the caller's sessions that have not ended, newest first. */
export async function findSessions(deps: Deps, { user }: Caller): Promise<Session[]> {
  return listSessionsOf(deps.db, user.id, deps.now(), idleBefore(deps))
}

/** Renews the authentication of a session. */
export async function renewSession({ db, now }: Deps, id: number): Promise<void> {
  await updateAuthenticatedAt(db, id, now())
}

/** Ends the caller's session. Returns what it recorded of the sign-in at its identity provider, if it began there. */
export async function leaveSession(deps: Deps, caller: Caller): Promise<ProviderSession | undefined> {
  const session = await findProviderSession(deps.db, caller.token.id)
  await endSession(deps, caller, caller.token.id)
  return session
}

/**
 * Ends the sessions that an identity provider has ended. Call it in a transaction. Returns the number of users that were
 * signed out.
 */
export async function endSessionsOfIssuer(
  deps: Deps,
  issuer: string,
  ended: { subject: string | null; sid: string | null },
): Promise<number> {
  const userIds = await deleteSessionsOfIssuer(deps.db, issuer, ended)
  for (const id of userIds) {
    const user = await findUserById(deps.db, id)
    if (user) {
      await recordAuditEvent(deps, 'user_sessions_revoked', {
        entity: userEntity(user),
        message: 'Ended sessions of the user, because the identity provider ended them',
        author: 'system',
        extra: { issuer },
      })
    }
    logSecurity(deps, 'session.ended', { user, reason: 'ended by the identity provider', method: 'provider' })
  }
  return userIds.length
}

/** Ends the sessions that began at a provider with an issuer that is not among these. */
export async function endSessionsNotOf(deps: Deps, known: readonly { key: string; issuer: string }[]): Promise<void> {
  const isKnown = (provider: string, issuer: string) =>
    known.some((one) => one.key === provider && new URL(one.issuer).href === new URL(issuer).href)
  for (const { provider, issuer } of await listSessionIssuers(deps.db)) {
    if (isKnown(provider, issuer)) continue
    const count = await deleteSessionsOfProvider(deps.db, provider, issuer)
    deps.log.info(
      { event: 'session.ended', provider, issuer, count, reason: 'the provider was removed' },
      'security event',
    )
  }
}

/** Ends the sessions that began with an account at an identity provider. */
export async function endSessionsOfIdentity({ db }: Deps, identityId: number): Promise<void> {
  await deleteSessionsOfIdentity(db, identityId)
}

export async function endSessionsWithPassword(deps: Deps): Promise<void> {
  const count = await deleteLocalSessions(deps.db)
  if (count > 0) deps.log.info({ event: 'session.ended', count, reason: 'passwords are off' }, 'security event')
}

export async function endSession(deps: Deps, { user }: Caller, id: number): Promise<void> {
  await transaction(deps, async (deps) => {
    if (!(await deleteSession(deps.db, id, user.id))) throw notFound()
    await recordAuditEvent(deps, 'user_signed_out', {
      entity: userEntity(user),
      message: 'Ended a session',
      author: user,
    })
  })
  logSecurity(deps, 'session.ended', { user })
}

/** Ends the caller's sessions other than the one that sent the request. */
export async function endOtherSessions(deps: Deps, { user, token }: Caller): Promise<void> {
  await transaction(deps, async (deps) => {
    const ended = await deleteSessionsOf(deps.db, user.id, token.kind === 'session' ? token.id : 0)
    if (ended === 0) return
    await recordAuditEvent(deps, 'user_sessions_revoked', {
      entity: userEntity(user),
      message: 'Ended all other sessions',
      extra: { ended },
    })
  })
  logSecurity(deps, 'session.ended', { user, reason: 'all other sessions' })
}

/**
 * Ends all sessions of a user, except the one with the given id, and sign-ins that wait for the second factor: their first
 * one may have been the former password.
 */
export async function endAllSessions(deps: Deps, userId: number, exceptId = 0): Promise<void> {
  await deleteSessionsOf(deps.db, userId, exceptId)
  await endChallengesOf(deps, userId)
}

/** Ends all sessions of a user on behalf of an administrator. */
export async function endSessionsOf(deps: Deps, caller: Caller, userId: number): Promise<void> {
  const user = await getUser(deps, userId)
  await transaction(deps, async (deps) => {
    await endAllSessions(deps, user.id)
    await recordAuditEvent(deps, 'user_sessions_revoked', {
      entity: userEntity(user),
      message: 'Ended all sessions of the user',
    })
  })
  logSecurity(deps, 'session.ended', { user, by: caller.user, reason: 'ended by an administrator' })
}

/** Returns true for a session that was not started with a token. All other callers are limited by scopes. */
export function isUnlimitedSession({ token }: Caller): boolean {
  return token.kind === 'session' && token.method !== 'token'
}

export function isSignedInByPassword({ token }: Caller): boolean {
  return token.kind === 'session' && token.method === 'password'
}

export async function removeExpiredSessions(deps: Deps): Promise<void> {
  await deleteExpiredSessions(deps.db, deps.now(), idleBefore(deps))
}

function idleBefore(deps: Deps): string {
  return new Date(Date.parse(deps.now()) - deps.settings.sessionIdleMs).toISOString()
}

export function digestSession(secret: string): string {
  return hash('sha256', secret)
}

const noteIntervalMs = 5 * 60 * 1000
const maxNoted = 10_000

/**
 * Records the use of a session. The write is best effort and not awaited: losing it costs a few minutes of precision.
 */
function noteUse(deps: Deps, id: number, now: string, cache: SessionCache): void {
  const at = Date.parse(now)
  if (at - (cache.notedAt.get(id) ?? 0) < noteIntervalMs) return
  if (cache.notedAt.size >= maxNoted) cache.notedAt.clear()
  cache.notedAt.set(id, at)
  noteSessionUse(deps.db, id, now).catch((error: unknown) =>
    deps.log.debug({ err: error }, 'the use of a session could not be noted'),
  )
}
