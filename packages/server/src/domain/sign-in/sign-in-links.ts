import { Failure, unauthenticated } from '../../platform/failure.ts'
import type { Client } from '../access/callers.ts'
import { userEntity } from '../audit/audit-event.ts'
import { recordAuditEvent } from '../audit/record.ts'
import { type Deps, transaction } from '../deps.ts'
import type { User } from '../users/user.ts'
import { findUserByEmail, findUserById, findUserByUsername } from '../users/users.ts'
import { recordSignInFailure } from './audited-sign-in.ts'
import { digestLink } from './link-digest.ts'
import { logSecurity } from './security-log.ts'
import { finishFirstFactor, isComplete, type NewSession, type PendingSignIn } from './sign-in.ts'
import { deleteExpiredSignInLinks, insertSignInLink, takeSignInLink } from './sign-in-link-queries.ts'

export const signInLinkMinutes = 15

type LinkDeps = Pick<Deps, 'db' | 'now' | 'random' | 'log'>

export interface SignInLink {
  user: User
  secret: string
  expiresAt: string
}

/**
 * Creates a link that signs in an active administrator once, without a password or a provider. Only the operator of the
 * server can create one. Call it in a transaction. Throws an error for the terminal.
 */
export async function createSignInLink(deps: LinkDeps, login: string): Promise<SignInLink> {
  const { db, random } = deps
  const user = login.includes('@') ? await findUserByEmail(db, login) : await findUserByUsername(db, login)
  if (!user) throw new Error(`there is no user ${login}`)
  if (!user.isAdmin) throw new Error(`${user.username} is not an administrator; sign-in links are for administrators`)
  if (!mayUse(user)) throw new Error(`${user.username} is not active (${user.state})`)
  const secret = random(32).toString('base64url')
  const now = deps.now()
  const expiresAt = new Date(Date.parse(now) + signInLinkMinutes * 60 * 1000).toISOString()
  await insertSignInLink(db, { userId: user.id, digest: digestLink(secret), expiresAt, now })
  await recordAuditEvent(deps, 'user_sign_in_link_created', {
    entity: userEntity(user),
    message: 'Created a sign-in link with the command on the server',
    author: 'system',
  })
  logSecurity(deps, 'sign_in_link.created', { user, method: 'link' })
  return { user, secret, expiresAt }
}

/** Signs in with the secret of a sign-in link, once. An administrator with a second factor must prove it as well. */
export async function signInWithLink(deps: Deps, secret: string, client: Client): Promise<NewSession | PendingSignIn> {
  try {
    const signedIn = await transaction(deps, async (deps) => {
      const link = await takeSignInLink(deps.db, digestLink(secret), deps.now())
      const user = link && (await findUserById(deps.db, link.userId))
      if (!user || !mayUse(user)) throw unauthenticated()
      return finishFirstFactor(deps, user, client, 'link')
    })
    if (isComplete(signedIn)) {
      logSecurity(deps, 'sign_in.succeeded', { user: signedIn.user, address: client.address, method: 'link' })
    }
    return signedIn
  } catch (error) {
    if (error instanceof Failure) {
      logSecurity(deps, 'sign_in.failed', { address: client.address, reason: 'unknown link', method: 'link' })
      await recordSignInFailure(deps, { method: 'link', reason: 'unknown link' })
    }
    throw error
  }
}

export async function removeExpiredSignInLinks(deps: Deps): Promise<void> {
  await deleteExpiredSignInLinks(deps.db, deps.now())
}

function mayUse(user: User): boolean {
  return user.isAdmin && user.state === 'active' && !user.isBot && !user.isGhost
}
