import { hash } from 'node:crypto'
import { Failure } from '../../platform/failure.ts'
import type { Deps } from '../deps.ts'
import type { Caller } from './callers.ts'
import { countAttempt } from './request-count-queries.ts'

const windowMs = 60 * 60 * 1000
const maxPerInviter = 300
const maxPerAddress = 5

/**
 * Counts a message that a user causes to be sent to an address of their choice. Rejects it when the address has received
 * too many within an hour, from whichever inviter, or when the inviter has caused too many. Administrators have only the
 * first limit. Call it in the transaction that queues the message.
 */
export async function countInvitationMail(deps: Deps, { user, isAdmin }: Caller, address: string): Promise<void> {
  if (!isAdmin) {
    await count(deps, `user ${user.id}`, {
      max: maxPerInviter,
      sentence: `You can send ${maxPerInviter} invitations in an hour. Try again later.`,
    })
  }
  await count(deps, hash('sha256', `address ${address.toLowerCase()}`), {
    max: maxPerAddress,
    sentence: `This address receives at most ${maxPerAddress} invitations in an hour. Try again later.`,
  })
}

async function count(deps: Deps, subject: string, { max, sentence }: { max: number; sentence: string }): Promise<void> {
  const now = deps.now()
  const endsAt = new Date(Date.parse(now) + windowMs).toISOString()
  const counted = await countAttempt(deps.db, { name: 'invitation_mails', subject, now, endsAt })
  if (counted > max) throw new Failure({ kind: 'too-many-requests', sentence })
}
