import { instanceUrl } from '../../../platform/settings/settings.ts'
import type { Deps } from '../../deps.ts'
import { mailKind, shownTime } from '../../mail/mail.ts'
import { queueMail } from '../../mail/mails.ts'
import { digestLink } from '../link-digest.ts'
import { updateMailedSecret } from './password-link-queries.ts'

/** Why a user receives a password link. */
export type PasswordLinkCause = 'administrator' | 'new account' | 'request'

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
    const { subject, reason, advice } = texts[cause]
    return {
      subject,
      blocks: [
        `${reason} ${url}. Your username is ${user.username}.`,
        { link: 'Set your password', url: `${url}/-/password#${secret}` },
        `The link works once, until ${shownTime(link.expiresAt)}. ${advice}`,
        'Do not forward this message: the link gives access to your account.',
      ],
    }
  },
})

const askAdministrator = 'After that, ask an administrator for another one.'

const texts: Record<PasswordLinkCause, { subject: string; reason: string; advice: string }> = {
  administrator: {
    subject: 'Set your password',
    reason: 'An administrator has created a link with which you set your password on',
    advice: askAdministrator,
  },
  'new account': {
    subject: 'Your account was created',
    reason: 'An administrator has created an account for you on',
    advice: askAdministrator,
  },
  request: {
    subject: 'Reset your password',
    reason: 'A new password was requested for your account on',
    advice: 'If you did not request it, ignore this message: your password stays as it is.',
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
