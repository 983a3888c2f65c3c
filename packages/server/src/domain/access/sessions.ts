import { hash } from 'node:crypto'
import { type Cache, openCache } from '../../db/cache.ts'
import type { Changes } from '../../db/db.ts'
import { Failure, forbidden, notFound, unauthenticated } from '../../platform/failure.ts'
import { type Deps, type RootDeps, transaction } from '../deps.ts'
import type { Caller } from './callers.ts'
import { countGuess, forgetGuesses } from './guesses.ts'
import { isPassword } from './passwords.ts'
import {
  deleteExpiredSessions,
  deleteOldestSessions,
  deleteSession,
  findSessionByDigest,
  insertSession,
  listSessionsOf,
  noteSessionUse,
  updateAdminUntil,
} from './session-queries.ts'
import { findTokenById } from './token-queries.ts'
import { type AccessToken, assertActive, authenticate, isExpired, mayAdminister, openTokenMemory } from './tokens.ts'
import { findPasswordHash, findUserByEmail, findUserById, findUserByUsername, updateUserState } from './user-queries.ts'
import type { User } from './users.ts'

/** A signed-in browser. */
export interface Session {
  id: number
  userId: number
  createdAt: string
  expiresAt: string
  lastUsedAt: string | null
  /** Where it was signed in from, and with what. */
  address: string | null
  userAgent: string | null
  /** In admin mode: until when the browser has its administrator's rights. */
  adminUntil: string | null
  /** The token it was signed in with; null for a password. */
  tokenId: number | null
}

/** Whom a request comes from, as far as the connection tells. */
export interface Client {
  address: string
  userAgent: string | undefined
}

export const sessionDays = 14
const dayMs = 24 * 60 * 60 * 1000
const adminHours = 6
const maxSessions = 100
const maxUserAgentLength = 255

/** Starts a session; the secret goes into the cookie, its digest into the database. */
export async function signIn(
  deps: Deps,
  login: string,
  password: string,
  client: Client,
): Promise<{ user: User; secret: string }> {
  const found = login.includes('@') ? await findUserByEmail(deps.db, login) : await findUserByUsername(deps.db, login)
  return startSession(deps, await provePassword(deps, found, login, password), client, null)
}

/** The browser gets the rights of the token, and loses them with it. */
export async function signInWithToken(
  deps: RootDeps,
  token: string,
  client: Client,
): Promise<{ user: User; secret: string }> {
  const memory = openTokenMemory(deps.db.changes)
  const caller = await authenticate(deps, token.trim(), memory, {
    isRotation: false,
    address: client.address,
  })
  if (!caller.token.scopes.some((scope) => scope === 'api' || scope === 'read_api')) {
    throw new Failure({ kind: 'scope-too-small', accepted: ['api', 'read_api'] })
  }
  return startSession(deps, caller.user, client, caller.token.id)
}

async function startSession(
  deps: Deps,
  user: User,
  client: Client,
  tokenId: number | null,
): Promise<{ user: User; secret: string }> {
  const secret = deps.random(32).toString('base64url')
  const createdAt = deps.now()
  const session = {
    userId: user.id,
    address: client.address,
    userAgent: client.userAgent?.slice(0, maxUserAgentLength) ?? null,
    createdAt,
    expiresAt: new Date(Date.parse(createdAt) + sessionDays * dayMs).toISOString(),
    tokenId,
  }
  await transaction(deps, async (deps) => {
    // Signing in is how somebody who was away for long comes back.
    if (user.state === 'deactivated') await updateUserState(deps.db, user.id, 'active', createdAt)
    await insertSession(deps.db, session, digest(secret))
    await deleteOldestSessions(deps.db, user.id, maxSessions)
  })
  return { user: { ...user, state: 'active' }, secret }
}

/** The user, once the password is his and he may come in. Every attempt counts before it is looked at. */
export async function provePassword(
  deps: Deps,
  user: User | undefined,
  login: string,
  password: string,
): Promise<User> {
  await countGuess(deps, user, login)
  const passwordHash = user && (await findPasswordHash(deps.db, user.id))
  if (!(await isPassword(password, passwordHash)) || !user) throw unauthenticated()
  await forgetGuesses(deps, user)
  if (user.state !== 'deactivated') assertActive(user)
  return user
}

interface SignedIn {
  session: Session
  user: User
  /** What it was signed in with. */
  token: AccessToken | undefined
}

/** What a process remembers of sessions, so that not every request asks the database. */
export interface SessionMemory {
  sessions: Cache<SignedIn | undefined>
  /** Session id → when its use was last written down (ms). */
  notedAt: Map<number, number>
}

export function openSessionMemory(changes: Changes): SessionMemory {
  return { sessions: openCache(changes, ['sessions', 'users', 'access_tokens'], 10_000), notedAt: new Map() }
}

/** Who the cookie belongs to, or `undefined` when it is unknown or over: then nobody is signed in. */
export async function findSignedIn(deps: Deps, secret: string, memory: SessionMemory): Promise<Caller | undefined> {
  const key = digest(secret)
  const found = await memory.sessions.get(key, () => load(deps, key))
  const now = deps.now()
  if (!found || found.session.expiresAt <= now || found.user.state !== 'active') return undefined
  const { session, user, token } = found
  if (token && (token.isRevoked || isExpired(token, now))) return undefined
  noteUse(deps, session.id, now, memory)
  if (token) {
    return {
      user,
      token: { id: session.id, kind: 'session', scopes: token.scopes, signedInWith: token.id },
      isAdmin: mayAdminister(deps, user, token.scopes),
    }
  }
  const isElevated = !deps.settings.adminMode || (session.adminUntil !== null && session.adminUntil > now)
  return {
    user,
    token: { id: session.id, kind: 'session', scopes: isElevated ? ['api', 'admin_mode'] : ['api'] },
    isAdmin: user.isAdmin && isElevated,
  }
}

async function load(deps: Deps, key: string): Promise<SignedIn | undefined> {
  const session = await findSessionByDigest(deps.db, key)
  const user = session && (await findUserById(deps.db, session.userId))
  if (!user) return undefined
  // Deleting a token deletes its sessions.
  const token = session.tokenId === null ? undefined : await findTokenById(deps.db, session.tokenId)
  return { session, user, token }
}

export function findSessions(deps: Deps, { user }: Caller): Promise<Session[]> {
  return listSessionsOf(deps.db, user.id, deps.now())
}

export async function endSession(deps: Deps, { user }: Caller, id: number): Promise<void> {
  if (!(await deleteSession(deps.db, id, user.id))) throw notFound()
}

/** Admin mode: gives this browser the rights of its administrator for some hours, for his password. */
export async function enterAdminMode(deps: Deps, caller: Caller, password: string): Promise<void> {
  assertBrowser(caller)
  await provePassword(deps, caller.user, '', password)
  const until = new Date(Date.parse(deps.now()) + adminHours * 60 * 60 * 1000).toISOString()
  await updateAdminUntil(deps.db, caller.token.id, until)
}

export async function leaveAdminMode(deps: Deps, caller: Caller): Promise<void> {
  assertBrowser(caller)
  await updateAdminUntil(deps.db, caller.token.id, null)
}

/** Signed in by a password: what a token is good for its scopes say. */
export function isSignedInByPassword({ token }: Caller): boolean {
  return token.kind === 'session' && token.signedInWith === undefined
}

function assertBrowser(caller: Caller): void {
  if (!isSignedInByPassword(caller)) throw forbidden()
}

export async function forgetExpiredSessions(deps: Deps): Promise<void> {
  await deleteExpiredSessions(deps.db, deps.now())
}

function digest(secret: string): string {
  return hash('sha256', secret)
}

const noteEveryMs = 5 * 60 * 1000

/** Best effort and never waited for: a lost note costs a few minutes of precision. */
function noteUse(deps: Deps, id: number, now: string, memory: SessionMemory): void {
  const at = Date.parse(now)
  if (at - (memory.notedAt.get(id) ?? 0) < noteEveryMs) return
  memory.notedAt.set(id, at)
  noteSessionUse(deps.db, id, now).catch((error: unknown) =>
    deps.log.debug({ err: error }, 'the use of a session could not be noted'),
  )
}
