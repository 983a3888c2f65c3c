import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import type { MailDraft, MailState } from './mail.ts'

interface QueuedMail {
  id: number
  recipientId: number | null
  address: string | null
}

/** Inserts messages whose event keys are new, and returns those. */
export async function insertMails(
  db: Db,
  kind: string,
  drafts: readonly MailDraft<object>[],
  now: string,
): Promise<QueuedMail[]> {
  const rows = drafts.map(({ to, eventKey, data }) => ({ ...to, eventKey, data }))
  const columns = { userId: 'integer', address: 'text', eventKey: 'text', data: 'json' } as const
  return db.all(sql`
    insert into mails (event_key, kind, recipient_id, address, data, created_at)
    select r.event_key, ${kind}, r.user_id, r.address, r.data, ${now} from ${db.dialect.records(rows, columns)} as r
    where true on conflict (event_key) do nothing
    returning id, recipient_id, address`)
}

export interface ClaimedMail extends QueuedMail {
  eventKey: string
  kind: string
  data: object
}

/** Marks a queued message as being sent. `undefined` when it is not queued. */
export async function claimMail(db: Db, id: number): Promise<ClaimedMail | undefined> {
  return db.one(sql`
    update mails set state = 'sending', attempts = attempts + 1 where id = ${id} and state = 'queued'
    returning id, recipient_id, address, event_key, kind, data`)
}

/** Returns a message to the queue, because it was certainly not accepted. False when its state has changed. */
export async function requeueMail(db: Db, id: number, error: string): Promise<boolean> {
  const changed = await db.run(sql`
    update mails set state = 'queued', last_error = ${error} where id = ${id} and state = 'sending'`)
  return changed === 1
}

/** Ends a message in one of these states. False when it is in another one. */
export async function endMail(
  db: Db,
  id: number,
  { from, to, error, now }: { from: readonly MailState[]; to: MailState; error?: string | undefined; now: string },
): Promise<boolean> {
  const changed = await db.run(sql`
    update mails set state = ${to}, data = null, last_error = ${error ?? null}, ended_at = ${now}
    where id = ${id} and state in ${db.dialect.texts(from)}`)
  return changed === 1
}

/** Ends all messages that wait or are being sent. Returns the number of messages. */
export async function endOpenMails(db: Db, { error, now }: { error: string; now: string }): Promise<number> {
  return db.run(sql`
    update mails set state = 'unknown', data = null, last_error = ${error}, ended_at = ${now}
    where state in ('queued', 'sending')`)
}

/** Account that a message is sent to. */
interface MailAccount {
  id: number
  name: string
  username: string
  email: string
  isConfirmed: boolean
}

/** Returns the user of a message, unless the account may not be used or has a placeholder in place of an address. */
export async function findMailAccount(db: Db, userId: number): Promise<MailAccount | undefined> {
  const row = await db.one<Omit<MailAccount, 'isConfirmed'> & { state: string }>(sql`
    select id, name, username, email, state from users
    where id = ${userId} and state <> 'blocked' and is_ghost = false and is_bot = false
      and email_key not like '%.invalid'`)
  return row && { ...row, isConfirmed: row.state === 'active' }
}

export interface CountedMails {
  state: MailState
  total: number
}

/** Counts messages that wait or did not arrive. */
export async function countMails(db: Db): Promise<CountedMails[]> {
  return db.all(sql`
    select state, count(*) as total from mails where state in ('queued', 'sending', 'failed', 'unknown')
    group by state order by state`)
}

/** Deletes messages that ended long ago. Returns the number of messages deleted. */
export async function deleteOldMails(db: Db, before: string, limit: number): Promise<number> {
  return db.run(sql`
    delete from mails where id in (
      select id from mails where ended_at <= ${before} order by ended_at, id limit ${limit})`)
}
