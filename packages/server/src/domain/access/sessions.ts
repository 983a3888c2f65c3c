import { createHash } from 'node:crypto'
import { Failure, unauthenticated } from '../../platform/failure.ts'
import type { Deps } from '../deps.ts'
import type { Caller } from './callers.ts'
import { isPassword } from './passwords.ts'
import { deleteExpiredSessions, deleteSession, findSession, insertSession } from './session-queries.ts'
import { assertActive } from './tokens.ts'
import { findPasswordHash, findUserByEmail, findUserById, findUserByUsername } from './user-queries.ts'
import type { User } from './users.ts'

export const sessionDays = 14
const dayMs = 24 * 60 * 60 * 1000

/** Starts a session; the secret goes into the cookie, its digest into the database. */
export async function signIn(deps: Deps, login: string, password: string): Promise<{ user: User; secret: string }> {
  const user = login.includes('@') ? await findUserByEmail(deps.db, login) : await findUserByUsername(deps.db, login)
  const account = user ? `user ${user.id}` : login.toLowerCase()
  // Counted before the password is looked at, so that guesses sent at once count too.
  countGuess(deps, account)
  const hash = user && (await findPasswordHash(deps.db, user.id))
  if (!(await isPassword(password, hash)) || !user) throw unauthenticated()
  guesses.delete(account)
  assertActive(user)
  const secret = deps.random(32).toString('base64url')
  const now = deps.now()
  const expiresAt = new Date(Date.parse(now) + sessionDays * dayMs).toISOString()
  await insertSession(deps.db, user.id, digest(secret), expiresAt, now)
  return { user, secret }
}

/** Who the cookie belongs to, or `undefined` when it is unknown or over: then nobody is signed in. */
export async function findSignedIn(deps: Deps, secret: string): Promise<Caller | undefined> {
  const session = await findSession(deps.db, digest(secret), deps.now())
  if (!session) return undefined
  const user = await findUserById(deps.db, session.userId)
  if (user?.state !== 'active') return undefined
  return { user, token: { id: session.id, kind: 'session', scopes: ['api'] }, isAdmin: user.isAdmin }
}

export async function endSession(deps: Deps, { token }: Caller): Promise<void> {
  if (token.kind === 'session') await deleteSession(deps.db, token.id)
}

export async function forgetExpiredSessions(deps: Deps): Promise<void> {
  await deleteExpiredSessions(deps.db, deps.now())
}

function digest(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

const maxGuesses = 10
const guessWindowMs = 5 * 60 * 1000
const maxRememberedLogins = 10_000

/** Attempts per account since the last right one, in this process; the accounts least recently tried go first. */
const guesses = new Map<string, { count: number; since: number }>()

function countGuess({ now }: Deps, account: string): void {
  const at = Date.parse(now())
  const last = guesses.get(account)
  const isFresh = last !== undefined && at - last.since < guessWindowMs
  if (isFresh && last.count >= maxGuesses) throw new Failure({ kind: 'too-many-requests' })
  guesses.delete(account)
  guesses.set(account, isFresh ? { count: last.count + 1, since: last.since } : { count: 1, since: at })
  const oldest = guesses.keys().next()
  if (guesses.size > maxRememberedLogins && !oldest.done) guesses.delete(oldest.value)
}
