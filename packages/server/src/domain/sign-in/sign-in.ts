import { hash } from 'node:crypto'
import { Failure, unauthenticated } from '../../platform/failure.ts'
import type { Caller, Client } from '../access/callers.ts'
import { networkOf } from '../access/client-network.ts'
import { countGuess, removeGuesses } from '../access/password-guesses.ts'
import { type Deps, type RootDeps, transaction } from '../deps.ts'
import { openChallenge } from '../second-factors/challenges.ts'
import type { SecondFactorMethod } from '../second-factors/second-factor.ts'
import { listMethods } from '../second-factors/second-factors.ts'
import { assertActive, authenticate, openTokenCache } from '../tokens/tokens.ts'
import type { User } from '../users/user.ts'
import { reactivateUser } from '../users/user-states.ts'
import { assertNoBot, findPasswordHash, findUserByEmail, findUserByUsername, lockUser } from '../users/users.ts'
import { recordSignIn, recordSignInFailure } from './audited-sign-in.ts'
import { digestBrowser, recordKnownBrowser, usersKnownTo } from './known-browsers.ts'
import { recordNewSignIn } from './new-sign-ins.ts'
import { assertPasswordsEnabled, verifyPassword } from './passwords/passwords.ts'
import { logSecurity } from './security-log.ts'
import type { SessionStart } from './session.ts'
import { deleteOldestSessions, insertSession } from './session-queries.ts'
import { digestSession, sessionDays } from './sessions.ts'

/** New session with the secrets for its cookies; the database only has their digests. */
export interface NewSession {
  user: User
  secret: string
  browser: string
}

const dayMs = 24 * 60 * 60 * 1000
const maxSessions = 100
const maxUserAgentLength = 255

/** Sign-in whose first factor was right, and which another request completes with the second one. */
export interface PendingSignIn {
  challenge: string
  expiresAt: string
  methods: SecondFactorMethod[]
}

/** Signs in with a username or e-mail address and its password. */
export async function signIn(
  deps: Deps,
  login: string,
  password: string,
  client: Client,
): Promise<NewSession | PendingSignIn> {
  assertPasswordsEnabled(deps)
  const user = login.includes('@') ? await findUserByEmail(deps.db, login) : await findUserByUsername(deps.db, login)
  const known = await usersKnownTo(deps, client.browser)
  const network = networkOf(client.address)
  // Counts by the login as typed, not by the user that was found: a rejection must not reveal that a username and an
  // e-mail address belong together. The login is hashed, because users sometimes type their password there.
  const from = user && client.browser && known.has(user.id) ? `browser ${digestBrowser(client.browser)}` : network
  const subject = hash('sha256', `${login.toLowerCase()}\n${from}`)
  try {
    const proved = await provePassword(deps, user, password, { subject, party: network })
    const signedIn = await finishFirstFactor(deps, proved, client, 'password')
    if (isComplete(signedIn)) {
      logSecurity(deps, 'sign_in.succeeded', { user: proved, address: client.address, method: 'password' })
    }
    return signedIn
  } catch (error) {
    if (error instanceof Failure) {
      logSecurity(deps, 'sign_in.failed', { user, address: client.address, reason: reasonOf(error) })
      await recordSignInFailure(deps, { user, method: 'password', reason: reasonOf(error) })
    }
    throw error
  }
}

/**
 * Starts the session of a user whose first factor was just verified: the password, or a link in its place. A user with a
 * second factor gets a challenge instead, which `completeSignIn` turns into a session.
 */
export async function finishFirstFactor(
  deps: Deps,
  user: User,
  client: Client,
  method: 'password' | 'link',
): Promise<NewSession | PendingSignIn> {
  if (user.hasSecondFactor) {
    const opened = await openChallenge(deps, { kind: 'second_factor', userId: user.id, method })
    return { ...opened, methods: await listMethods(deps, user.id) }
  }
  return startSession(deps, user, client, { method })
}

/** Returns false for a sign-in that waits for the second factor. */
export function isComplete(signedIn: NewSession | PendingSignIn): signedIn is NewSession {
  return 'secret' in signedIn
}

/** Starts a session that has the rights of the token and ends when the token does. */
export async function signInWithToken(deps: RootDeps, token: string, client: Client): Promise<NewSession> {
  try {
    const { user, token: used } = await proveToken(deps, token, client)
    const session = await startSession(deps, user, client, { method: 'token', tokenId: used.id })
    logSecurity(deps, 'sign_in.succeeded', { user, address: client.address, method: 'token' })
    return session
  } catch (error) {
    if (error instanceof Failure) {
      logSecurity(deps, 'sign_in.failed', { address: client.address, reason: error.cause.kind, method: 'token' })
      await recordSignInFailure(deps, { method: 'token', reason: error.cause.kind })
    }
    throw error
  }
}

/** Returns the caller that a token authenticates, if the token at least allows its owner to read. */
export async function proveToken(deps: RootDeps, token: string, { address }: Client): Promise<Caller> {
  const cache = openTokenCache(deps.db.changes)
  const caller = await authenticate(deps, token.trim(), cache, { isRotation: false, address })
  assertNoBot(caller.user)
  if (!caller.token.scopes.some((scope) => scope === 'api' || scope === 'read_api')) {
    throw new Failure({ kind: 'scope-too-small', accepted: ['api', 'read_api'] })
  }
  return caller
}

/** Starts a session of a user whose credential was just verified, and marks the browser as known. */
export async function startSession(deps: Deps, user: User, client: Client, start: SessionStart): Promise<NewSession> {
  const secret = deps.random(32).toString('base64url')
  const createdAt = deps.now()
  const session = {
    userId: user.id,
    address: client.address,
    userAgent: client.userAgent?.slice(0, maxUserAgentLength) ?? null,
    createdAt,
    expiresAt: new Date(Date.parse(createdAt) + sessionDays * dayMs).toISOString(),
  }
  const browser = await transaction(deps, async (deps) => {
    // The user may have been blocked or deleted since the password was verified; a session created now would outlive
    // the block.
    const current = await lockUser(deps.db, user.id)
    if (!current || lacksSecondFactor(current, start)) throw unauthenticated()
    // A deactivated user is not reactivated by an account at a provider, which may still exist there.
    const isReactivated = current.state === 'deactivated' && start.method !== 'provider'
    if (isReactivated) await reactivateUser(deps, user.id)
    else assertActive(current)
    const sessionId = await insertSession(deps.db, session, start, digestSession(secret))
    await deleteOldestSessions(deps.db, user.id, maxSessions)
    await recordSignIn(deps, user, start.method)
    await recordNewSignIn(deps, { ...session, sessionId }, client.browser)
    return recordKnownBrowser(deps, user.id, client.browser)
  })
  return { user: { ...user, state: 'active' }, secret, browser }
}

/** Returns whether a second factor, which the user may just have set up, is missing. */
function lacksSecondFactor(user: User, start: SessionStart): boolean {
  const isOneFactor = start.method === 'password' || start.method === 'link'
  return isOneFactor && user.hasSecondFactor && start.secondFactor === undefined
}

/** Keys by which a password attempt is counted and queued. */
export interface Attempt {
  /** Key by which wrong passwords are counted. */
  subject: string
  /** Key for fair queueing of password hashing. */
  party: string
}

/**
 * Returns the user when the password is correct and the user may sign in. The attempt is counted when its turn to be
 * hashed comes, so the table of counts grows no faster than passwords can be verified.
 */
export async function provePassword(
  deps: Deps,
  user: User | undefined,
  password: string,
  { subject, party }: Attempt,
): Promise<User> {
  assertPasswordsEnabled(deps)
  const isCorrect = await verifyPassword(password, party, async () => {
    await countGuess(deps, subject)
    return findPasswordHash(deps.db, user?.id ?? 0)
  })
  if (!isCorrect || !user || user.isBot) throw unauthenticated()
  await removeGuesses(deps, subject)
  if (user.state !== 'deactivated') assertActive(user)
  return user
}

function reasonOf({ cause }: Failure): string {
  if (cause.kind === 'unauthenticated') return 'wrong name or password'
  return cause.kind === 'forbidden' ? 'account not active' : cause.kind
}
