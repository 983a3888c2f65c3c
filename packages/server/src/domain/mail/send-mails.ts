import { type SendOutcome, sendMail } from '../../platform/outgoing/smtp.ts'
import type { Deps, RootDeps } from '../deps.ts'
import { type AnyJobKind, jobKind } from '../jobs/job.ts'
import type { Addressee, AnyMailKind, MailContent } from './mail.ts'
import { type ClaimedMail, claimMail, endMail, findMailAccount, requeueMail } from './mail-queries.ts'
import { mailJobKind } from './mails.ts'
import { composeMail } from './message.ts'

/**
 * Number of attempts before a message fails. With the back-off of jobs these take about one and a half days, which
 * bridges a weekend night but does not deliver links that have expired.
 */
const maxAttempts = 100

/**
 * Returns the job that sends one message, at most once. SMTP confirms a message only after it was transferred, so a
 * message is claimed in a commit of its own first. A run that finds it claimed belongs to a process that ended while it
 * was sending: whether the server accepted the message is unknown, and it is not sent again. Only a message that the
 * server has certainly not accepted returns to the queue.
 */
export function mailJob(kinds: readonly AnyMailKind[]): AnyJobKind {
  return jobKind<{ mail_id: number }>({
    kind: mailJobKind,
    concurrency: 2,
    perOwner: 1,
    maxAttempts,
    async run(deps, { payload, signal }) {
      const mail = await claimMail(deps.db, payload.mail_id)
      if (!mail) return endInterrupted(deps, payload.mail_id)
      const outcome = await prepareAndSend(deps, mail, { kinds, signal })
      await record(deps, mail, outcome)
      // The queue retries a job that throws.
      if (outcome.kind === 'deferred') throw new Error(outcome.reason)
      return undefined
    },
    async giveUp(deps, payload, error) {
      await endMail(deps.db, payload.mail_id, { from: ['queued'], to: 'failed', error, now: deps.now() })
    },
  })
}

/** Ends a message whose earlier run did not record a result. Does nothing if the message has ended. */
async function endInterrupted(deps: RootDeps, id: number): Promise<undefined> {
  const error = 'the process ended while it sent the message'
  const isUnknown = await endMail(deps.db, id, { from: ['sending'], to: 'unknown', error, now: deps.now() })
  if (isUnknown) deps.log.warn({ mail: id }, 'a message may not have been sent')
}

type Outcome = SendOutcome | { kind: 'skipped' }

async function prepareAndSend(
  deps: RootDeps,
  mail: ClaimedMail,
  { kinds, signal }: { kinds: readonly AnyMailKind[]; signal: AbortSignal },
): Promise<Outcome> {
  const { mail: settings } = deps.settings
  if (!settings) return { kind: 'skipped' }
  try {
    const to = await findAddressee(deps, mail)
    const content = to && (await describe(deps, kinds, { mail, to }))
    if (!content) return { kind: 'skipped' }
    return await sendMail(settings, composeMail(deps, { id: mail.id, eventKey: mail.eventKey, to, content }), signal)
  } catch (error) {
    // Nothing was sent: `sendMail` reports every result after the connection was opened.
    return { kind: 'deferred', reason: error instanceof Error ? error.message : String(error) }
  }
}

async function findAddressee({ db }: Deps, { recipientId, address }: ClaimedMail): Promise<Addressee | undefined> {
  if (recipientId === null) return address === null ? undefined : { address }
  const user = await findMailAccount(db, recipientId)
  return user && { address: user.email, user }
}

function describe(
  deps: RootDeps,
  kinds: readonly AnyMailKind[],
  { mail, to }: { mail: ClaimedMail; to: Addressee },
): Promise<MailContent | undefined> {
  const kind = kinds.find(({ kind }) => kind === mail.kind)
  if (!kind) throw new Error(`there is no kind of message ${mail.kind}`)
  return kind.describe(deps, to, mail.data)
}

async function record(deps: RootDeps, { id, kind }: ClaimedMail, outcome: Outcome): Promise<void> {
  const now = deps.now()
  switch (outcome.kind) {
    case 'accepted':
      // A run that took the lease over may have marked the message as unknown.
      return void (await endMail(deps.db, id, { from: ['sending', 'unknown'], to: 'sent', now }))
    case 'skipped':
      return void (await endMail(deps.db, id, { from: ['sending'], to: 'skipped', now }))
    case 'deferred':
      return void (await requeueMail(deps.db, id, outcome.reason))
    case 'refused':
    case 'unknown': {
      const to = outcome.kind === 'refused' ? 'failed' : 'unknown'
      await endMail(deps.db, id, { from: ['sending'], to, error: outcome.reason, now })
      deps.log.warn({ mail: id, kind, reason: outcome.reason }, `message ${to}`)
    }
  }
}
