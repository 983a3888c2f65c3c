import sql from 'sql-template-tag'
import type { Deps, RootDeps } from '../domain/deps.ts'
import { type MailState, mailKind } from '../domain/mail/mail.ts'
import { queueMail } from '../domain/mail/mails.ts'
import { mailJob } from '../domain/mail/send-mails.ts'
import type { SmtpStandIn } from './stand-ins/smtp.ts'

/** Kind of message for tests of the queue. */
export const noteMail = mailKind<{ text: string }>({
  kind: 'note',
  describe: async (_deps, _to, { text }) => ({ subject: text, blocks: [text] }),
})

export const noteJob = mailJob([noteMail])

/** Queues a note for an address without an account. */
export const note = (deps: Deps, text: string, eventKey = text, address = 'ada@example.test'): Promise<void> =>
  queueMail(deps, noteMail, { to: { address }, eventKey, data: { text } })

/** Returns the same deps with this SMTP server. */
export function withMail<D extends RootDeps>(deps: D, { settings }: Pick<SmtpStandIn, 'settings'>): D {
  return { ...deps, settings: { ...deps.settings, mail: settings, externalUrl: 'https://alcove.test' } }
}

/** Returns the state of each message by its event key. */
export async function mailStates({ db }: Deps): Promise<Record<string, MailState>> {
  const rows = await db.all<{ eventKey: string; state: MailState }>(sql`select event_key, state from mails order by id`)
  return Object.fromEntries(rows.map(({ eventKey, state }) => [eventKey, state]))
}
