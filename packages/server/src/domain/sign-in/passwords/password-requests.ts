import { hash } from 'node:crypto'
import { forbidden } from '../../../platform/failure.ts'
import type { Settings } from '../../../platform/settings/settings.ts'
import type { Client } from '../../access/callers.ts'
import { networkOf } from '../../access/client-network.ts'
import { countGuess } from '../../access/password-guesses.ts'
import { userEntity } from '../../audit/audit-event.ts'
import { recordAuditEvent } from '../../audit/record.ts'
import { type Deps, transaction } from '../../deps.ts'
import { type AnyJobKind, enqueue, jobKind } from '../../jobs/job.ts'
import { queueMails } from '../../mail/mails.ts'
import { findUserByEmail, findUserByUsername } from '../../users/users.ts'
import { digestLink } from '../link-digest.ts'
import { logSecurity } from '../security-log.ts'
import { passwordLinkMail } from './password-link-mail.ts'
import { findPasswordRequester, insertPasswordLink } from './password-link-queries.ts'
import { assertPasswordsEnabled } from './passwords.ts'

const linkHours = 6
const minuteMs = 60 * 1000
/** Length of the intervals in which a user receives one message, however many are requested. */
const intervalMs = 10 * minuteMs
const kind = 'password-request'

/** Returns whether users who have forgotten their password can request a link by e-mail. */
export function canRequestPasswordLink({ mail, hasPasswords }: Settings): boolean {
  return mail !== undefined && hasPasswords
}

/**
 * Requests a password link for the user with this username or e-mail address. It does the same work whether or not there is
 * such a user, and a job does the rest, so that neither the response nor its time reveals which accounts exist.
 */
export async function requestPasswordLink(deps: Deps, login: string, client: Client): Promise<void> {
  assertPasswordsEnabled(deps)
  if (!canRequestPasswordLink(deps.settings)) {
    throw forbidden('This server does not send e-mail. Ask an administrator for a password link.')
  }
  const network = networkOf(client.address)
  await countGuess(deps, hash('sha256', `password link\n${login.toLowerCase()}\n${network}`))
  const user = login.includes('@') ? await findUserByEmail(deps.db, login) : await findUserByUsername(deps.db, login)
  // What was typed is not stored, because it may be a password.
  await enqueue(deps, { kind, payload: { user_id: user?.id ?? null } satisfies PasswordRequest })
}

interface PasswordRequest {
  /** Null when no user has the username or e-mail address. */
  user_id: number | null
}

/** Job that creates a link for a request and queues the message with it, once in ten minutes for a user. */
export const passwordRequestJob: AnyJobKind = jobKind<PasswordRequest>({
  kind,
  concurrency: 1,
  maxAttempts: 10,
  async run(deps, { payload }) {
    await transaction(deps, (deps) => answerRequest(deps, payload.user_id))
    return undefined
  },
})

async function answerRequest(deps: Deps, userId: number | null): Promise<void> {
  const user = userId === null ? undefined : await findPasswordRequester(deps.db, userId)
  if (!user || !canRequestPasswordLink(deps.settings)) return
  const now = deps.now()
  const interval = Math.floor(Date.parse(now) / intervalMs)
  // The link has no secret until its message is sent. It does not replace links of an administrator, which anyone who
  // knows the username could end otherwise.
  const digest = digestLink(deps.random(32).toString('base64url'))
  const draft = {
    to: { userId: user.id },
    eventKey: `password-request:${user.id}:${interval}`,
    data: { digest, cause: 'request' },
  } as const
  if ((await queueMails(deps, passwordLinkMail, [draft])) === 0) return
  const expiresAt = new Date(Date.parse(now) + linkHours * 60 * minuteMs).toISOString()
  await insertPasswordLink(deps.db, { userId: user.id, digest, expiresAt, now })
  await recordAuditEvent(deps, 'user_password_link_requested', {
    entity: userEntity(user),
    message: 'Sent a password link that was requested on the sign-in page',
    author: null,
  })
  logSecurity(deps, 'password_link.requested', { user })
}
