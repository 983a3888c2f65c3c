import { type Deps, transaction } from '../deps.ts'
import { enqueue } from '../jobs/job.ts'
import type { MailDraft, QueuedKind } from './mail.ts'
import { type CountedMails, countMails, deleteOldMails, endOpenMails, insertMails } from './mail-queries.ts'

export const mailJobKind = 'mail'

/**
 * Queues a message in the caller's transaction. Does nothing when the server has no SMTP server, or when a message with
 * this event key was queued before. Define the kind once and list it in `mailKinds` (`jobs.ts`):
 *
 *     export const invitationMail = mailKind<{ invitation_id: number }>({
 *       kind: 'invitation',
 *       async describe(deps, to, data) {
 *         const invitation = await findInvitation(deps.db, data.invitation_id)
 *         if (!invitation) return undefined // withdrawn
 *         return {
 *           subject: `Invitation to ${invitation.groupName}`,
 *           blocks: [
 *             `${invitation.inviterName} has invited you to ${invitation.groupName}.`,
 *             { link: 'Accept the invitation', url: `${instanceUrl(deps.settings)}/-/invitations/…` },
 *           ],
 *         }
 *       },
 *     })
 *
 *     await queueMail(deps, invitationMail, {
 *       to: { address: invitation.email }, // or { userId }
 *       eventKey: `invitation:${invitation.id}`,
 *       data: { invitation_id: invitation.id },
 *     })
 *
 * `data` is stored until the message was sent and holds no secrets. `describe` creates the secret of a link and stores
 * its digest, so every attempt has a new one.
 */
export async function queueMail<Data extends object>(
  deps: Deps,
  kind: QueuedKind<Data>,
  draft: MailDraft<Data>,
): Promise<void> {
  await queueMails(deps, kind, [draft])
}

/** Queues messages of one kind. Returns the number of those that were not queued before. */
export function queueMails<Data extends object>(
  deps: Deps,
  { kind }: QueuedKind<Data>,
  drafts: readonly MailDraft<Data>[],
): Promise<number> {
  if (!deps.settings.mail || drafts.length === 0) return Promise.resolve(0)
  return transaction(deps, async (deps) => {
    const queued = await insertMails(deps.db, kind, drafts, deps.now())
    for (const { id, recipientId, address } of queued) {
      // Recipients take turns, so that many messages to one of them do not delay those to others.
      const owner = `mail:${recipientId ?? address}`
      await enqueue(deps, { kind: mailJobKind, owner, payload: { mail_id: id } })
    }
    return queued.length
  })
}

/**
 * Ends the messages that a restored backup contains in the queue, since they may have been sent after the backup. Returns
 * their number.
 */
export function endRestoredMails({ db, now }: Pick<Deps, 'db' | 'now'>): Promise<number> {
  return endOpenMails(db, { error: 'queued in a restored backup; it may have been sent after the backup', now: now() })
}

/** Returns the number of messages that wait, and of those of the retention period that did not arrive. */
export function measureMails({ db }: Deps): Promise<CountedMails[]> {
  return countMails(db)
}

const keptMs = 90 * 24 * 60 * 60 * 1000
const batchSize = 1000

/** Deletes messages 90 days after their end. No event may recur after that. */
export async function removeOldMails(deps: Deps): Promise<void> {
  const before = new Date(Date.parse(deps.now()) - keptMs).toISOString()
  for (let gone = batchSize; gone === batchSize; ) gone = await deleteOldMails(deps.db, before, batchSize)
}
