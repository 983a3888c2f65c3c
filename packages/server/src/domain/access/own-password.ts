import { hash } from 'node:crypto'
import { Failure, type InvalidAttributes, invalid, unauthenticated } from '../../platform/failure.ts'
import { type Deps, transaction } from '../deps.ts'
import type { Caller } from './callers.ts'
import {
  deleteExpiredPasswordLinks,
  deletePasswordLink,
  deletePasswordLinksOf,
  findPasswordLink,
  insertPasswordLink,
} from './password-link-queries.ts'
import { hashPassword } from './passwords.ts'
import { deleteSessionsOf } from './session-queries.ts'
import { provePassword } from './sessions.ts'
import { userProblems } from './user-draft.ts'
import { updatePasswordHash } from './user-queries.ts'

const linkHours = 24

/** Needs the current one, and signs all other browsers out. */
export async function changeOwnPassword(deps: Deps, caller: Caller, current: string, password: string): Promise<void> {
  await provePassword(deps, caller.user, '', current).catch((error: unknown) => {
    throw isWrong(error) ? invalid({ current_password: ['is invalid'] }) : error
  })
  assertInOrder(password)
  const passwordHash = await hashPassword(deps, password)
  await transaction(deps, async (deps) => {
    await updatePasswordHash(deps.db, caller.user.id, passwordHash, deps.now())
    await deletePasswordLinksOf(deps.db, caller.user.id)
    await deleteSessionsOf(deps.db, caller.user.id, caller.token.kind === 'session' ? caller.token.id : 0)
  })
}

/** The secret of a link by which this user sets a password once. An older link of his ends. */
export async function createPasswordLink(deps: Deps, userId: number): Promise<{ secret: string; expiresAt: string }> {
  const secret = deps.random(32).toString('base64url')
  const now = deps.now()
  const expiresAt = new Date(Date.parse(now) + linkHours * 60 * 60 * 1000).toISOString()
  await transaction(deps, async (deps) => {
    await deletePasswordLinksOf(deps.db, userId)
    await insertPasswordLink(deps.db, userId, hash('sha256', secret), expiresAt, now)
  })
  return { secret, expiresAt }
}

/** Sets the password of whoever the link was made for; it is worth nothing afterwards. */
export async function redeemPasswordLink(deps: Deps, secret: string, password: string): Promise<void> {
  const digest = hash('sha256', secret)
  const link = await findPasswordLink(deps.db, digest, deps.now())
  if (!link) throw unauthenticated()
  assertInOrder(password)
  const passwordHash = await hashPassword(deps, password)
  await transaction(deps, async (deps) => {
    if (!(await deletePasswordLink(deps.db, digest))) throw unauthenticated()
    await updatePasswordHash(deps.db, link.userId, passwordHash, deps.now())
    await deleteSessionsOf(deps.db, link.userId)
  })
}

export async function forgetExpiredPasswordLinks(deps: Deps): Promise<void> {
  await deleteExpiredPasswordLinks(deps.db, deps.now())
}

function assertInOrder(password: string): void {
  const problems: InvalidAttributes = userProblems({ password })
  if (Object.keys(problems).length > 0) throw invalid(problems)
}

function isWrong(error: unknown): boolean {
  return error instanceof Failure && error.cause.kind === 'unauthenticated'
}
