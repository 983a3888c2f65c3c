import { instanceUrl } from '../../platform/settings.ts'
import type { Deps } from '../deps.ts'
import { mailKind, shownTime } from '../mail/mail.ts'
import { queueMail } from '../mail/mails.ts'
import { digestLink } from './link-digest.ts'
import { updateMailedSecret } from './password-link-queries.ts'

/** Why a user receives a password link. */
export type PasswordLinkCause = 'administrator' | 'new account'

interface PasswordLinkData {
  /** Digest of the link's first secret, which names the link. */
  digest: string
  cause: PasswordLinkCause
}

/** A link with which a user sets their password. The secret in the message is created when the message is sent. */
export const passwordLinkMail = mailKind<PasswordLinkData>({
  kind: 'password_link',
  async describe(deps, { user }, { digest, cause }) {
    if (!user || !deps.settings.hasPasswords) return undefined
    const secret = deps.random(32).toString('base64url')
    const link = await updateMailedSecret(deps.db, digest, digestLink(secret), deps.now())
    if (link?.userId !== user.id) return undefined
    const url = instanceUrl(deps.settings)
    const { subject, reason } = texts[cause]
    return {
      subject,
      blocks: [
        `${reason} ${url}. Your username is ${user.username}.`,
        { link: 'Set your password', url: `${url}/-/password#${secret}` },
        `The link works once, until ${shownTime(link.expiresAt)}. After that, ask an administrator for another one.`,
        'Do not forward this message: the link gives access to your account.',
      ],
    }
  },
})

const texts: Record<PasswordLinkCause, { subject: string; reason: string }> = {
  administrator: {
    subject: 'Set your password',
    reason: 'An administrator has created a link with which you set your password on',
  },
  'new account': {
    subject: 'Your account was created',
    reason: 'An administrator has created an account for you on',
  },
}

/** Queues the message with a link in the transaction that creates the link. */
export function queuePasswordLinkMail(deps: Deps, userId: number, data: PasswordLinkData): Promise<void> {
  return queueMail(deps, passwordLinkMail, {
    to: { userId },
    eventKey: `password-link:${data.digest.slice(0, 32)}`,
    data,
  })
}
