import type { Caller } from '../../access/callers.ts'
import { userEntity } from '../../audit/audit-event.ts'
import { recordAuditEvent } from '../../audit/record.ts'
import { type Deps, transaction } from '../../deps.ts'
import type { User } from '../../users/user.ts'
import { assertNoBot } from '../../users/users.ts'
import { digestLink } from '../link-digest.ts'
import { logSecurity } from '../security-log.ts'
import { type PasswordLinkCause, queuePasswordLinkMail } from './password-link-mail.ts'
import {
  deleteAllPasswordLinks,
  deleteExpiredPasswordLinks,
  deletePasswordLinksOf,
  insertPasswordLink,
} from './password-link-queries.ts'
import { assertPasswordsEnabled } from './passwords.ts'

const linkHours = 24

/**
 * Creates a link that sets this user's password once, and returns its secret. Only a digest of the secret is stored.
 * The user's older links stop working.
 */
export async function createPasswordLink(deps: Deps, userId: number): Promise<{ secret: string; expiresAt: string }> {
  assertPasswordsEnabled(deps)
  const secret = deps.random(32).toString('base64url')
  const now = deps.now()
  const expiresAt = new Date(Date.parse(now) + linkHours * 60 * 60 * 1000).toISOString()
  await transaction(deps, async (deps) => {
    await revokePasswordLinks(deps, userId)
    await insertPasswordLink(deps.db, { userId, digest: digestLink(secret), expiresAt, now })
  })
  return { secret, expiresAt }
}

/** Creates a password link at an administrator's request, sends it by e-mail too, and logs it. */
export async function issuePasswordLink(
  deps: Deps,
  caller: Caller,
  user: User,
  cause: PasswordLinkCause = 'administrator',
): Promise<{ secret: string; expiresAt: string }> {
  assertNoBot(user)
  const link = await transaction(deps, async (deps) => {
    const link = await createPasswordLink(deps, user.id)
    await queuePasswordLinkMail(deps, user.id, { digest: digestLink(link.secret), cause })
    await recordAuditEvent(deps, 'user_password_link_created', {
      entity: userEntity(user),
      message: 'Created a password link for the user',
    })
    return link
  })
  logSecurity(deps, 'password_link.created', { user, by: caller.user })
  return link
}

/** Deletes the user's links, so that they stop working. */
export async function revokePasswordLinks({ db }: Deps, userId: number): Promise<void> {
  await deletePasswordLinksOf(db, userId)
}

/** Ends the links that a restored backup contains: they may have been used or revoked after the backup. */
export async function revokeRestoredPasswordLinks({ db }: Pick<Deps, 'db'>): Promise<void> {
  await deleteAllPasswordLinks(db)
}

export async function removeExpiredPasswordLinks(deps: Deps): Promise<void> {
  await deleteExpiredPasswordLinks(deps.db, deps.now())
}
