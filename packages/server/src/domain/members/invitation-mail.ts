import { Failure } from '../../platform/failure.ts'
import { instanceUrl } from '../../platform/settings/settings.ts'
import type { Caller } from '../access/callers.ts'
import { countInvitationMail } from '../access/invitation-limits.ts'
import { roleName } from '../access/roles.ts'
import type { Deps } from '../deps.ts'
import { mailKind, shownTime } from '../mail/mail.ts'
import { queueMail } from '../mail/mails.ts'
import { digestLink } from '../sign-in/link-digest.ts'
import { findInvitationByDigest, updateMailedSecret } from './invitation-queries.ts'
import { examine, type OpenInvitation } from './open-invitation.ts'

interface InvitationData {
  /** Digest of the secret that the inviter received, which names the link. */
  digest: string
}

/** An invitation to a project or group. The secret in the message is created when the message is sent. */
export const invitationMail = mailKind<InvitationData>({
  kind: 'invitation',
  async describe(deps, _to, { digest }) {
    const opened = await findValid(deps, digest)
    if (!opened) return undefined
    const secret = deps.random(32).toString('base64url')
    if (!(await updateMailedSecret(deps.db, digest, digestLink(secret), deps.now()))) return undefined
    const { invitation, place, inviter } = opened
    const what = place.project ? `the project ${place.project.fullPath}` : `the group ${place.group.fullPath}`
    const url = instanceUrl(deps.settings)
    const { expiresOn } = invitation
    return {
      subject: `Invitation to ${what}`,
      blocks: [
        `${inviter.user.name} (@${inviter.user.username}) has invited you to ${what} on ${url} with the role ${roleName(invitation.accessLevel)}.`,
        ...(expiresOn === null ? [] : [`The membership ends on ${expiresOn}.`]),
        { link: 'Accept the invitation', url: `${url}/-/invitation#${secret}` },
        `The link works once, until ${shownTime(invitation.linkExpiresAt)}. If you did not expect this message, ignore it.`,
      ],
    }
  },
})

/** Returns the invitation, unless it was accepted or revoked, has expired, or its inviter may not add members any more. */
async function findValid(deps: Deps, digest: string): Promise<OpenInvitation | undefined> {
  const found = await findInvitationByDigest(deps.db, digest, deps.now())
  return examine(deps, found).catch((error: unknown) => {
    if (error instanceof Failure) return undefined
    throw error
  })
}

/** Queues the message with a link in the transaction that creates the link. Throws when there were too many. */
export async function queueInvitationMail(
  deps: Deps,
  caller: Caller,
  { address, digest }: InvitationData & { address: string },
): Promise<void> {
  if (deps.settings.mail) await countInvitationMail(deps, caller, address)
  const eventKey = `invitation:${digest.slice(0, 32)}`
  await queueMail(deps, invitationMail, { to: { address }, eventKey, data: { digest } })
}
