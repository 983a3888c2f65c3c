import { type Deps, transaction } from '../deps.ts'
import type { MailKind } from '../mail/mail.ts'
import { queueMails } from '../mail/mails.ts'
import { deleteOldMailEvents, insertMailEvent } from './recipient-queries.ts'

interface Event<Data extends object> {
  key: string
  /** Determines the recipients, in the transaction that records the event. */
  recipients(deps: Deps): Promise<readonly number[]>
  data: Data
}

/** Queues the messages of an event once, whichever process finds it first. */
export function notifyOnce<Data extends object>(
  deps: Deps,
  kind: MailKind<Data>,
  { key, recipients, data }: Event<Data>,
): Promise<void> {
  return transaction(deps, async (deps) => {
    if (!(await insertMailEvent(deps.db, key, deps.now()))) return
    await queueFor(deps, kind, { key, userIds: await recipients(deps), data })
  })
}

/** Queues a message for each of these users. */
export async function queueFor<Data extends object>(
  deps: Deps,
  kind: MailKind<Data>,
  { key, userIds, data }: { key: string; userIds: readonly number[]; data: Data },
): Promise<void> {
  const drafts = userIds.map((userId) => ({ to: { userId }, eventKey: `${key}:${userId}`, data }))
  await queueMails(deps, kind, drafts)
}

const keptMs = 90 * 24 * 60 * 60 * 1000
const batchSize = 1000

/** Deletes records of events after 90 days. No event is found again after that. */
export async function removeOldMailEvents(deps: Deps): Promise<void> {
  const before = new Date(Date.parse(deps.now()) - keptMs).toISOString()
  for (let gone = batchSize; gone === batchSize; ) gone = await deleteOldMailEvents(deps.db, before, batchSize)
}
