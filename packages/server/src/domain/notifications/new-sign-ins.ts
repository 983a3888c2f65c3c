import { instanceUrl } from '../../platform/settings/settings.ts'
import { shownTime } from '../mail/mail.ts'
import { findNewSignIn, type NewSignInNotice, newSignInNotice } from '../sign-in/new-sign-ins.ts'
import { notificationKind } from './notification-kind.ts'
import { hasTurnedOffSignIns } from './notification-setting-queries.ts'

/**
 * A sign-in from a browser that the user had not used before. The message was wanted if it was at the time of the sign-in:
 * the session that it warns of cannot turn it off.
 */
export const newSignInMail = notificationKind<NewSignInNotice>({
  name: newSignInNotice.kind,
  decidesItself: true,
  async describe(deps, { id: userId }, { sign_in_id: id }) {
    const signIn = await findNewSignIn(deps, userId, id)
    if (!signIn || (await hasTurnedOffSignIns(deps.db, userId, signIn.createdAt))) return undefined
    const url = instanceUrl(deps.settings)
    return {
      subject: 'Sign-in from a new browser',
      blocks: [
        `Your account on ${url} was used to sign in from a browser that it had not been used from before.`,
        {
          list: [
            { text: `Time: ${shownTime(signIn.createdAt)}` },
            { text: `Address: ${signIn.address ?? 'unknown'}` },
            { text: `Browser: ${signIn.userAgent ?? 'unknown'}` },
          ],
        },
        'If this was you, there is nothing to do. If not, sign out all other sessions and change your password.',
        { link: 'Review your sessions', url: `${url}/-/profile` },
      ],
    }
  },
})
