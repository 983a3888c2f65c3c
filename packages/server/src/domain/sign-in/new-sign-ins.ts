import type { Caller } from '../access/callers.ts'
import type { Deps } from '../deps.ts'
import type { QueuedKind } from '../mail/mail.ts'
import { queueMail } from '../mail/mails.ts'
import { usersKnownTo } from './known-browsers.ts'
import {
  deleteOldestNewSignIns,
  findNewSignInOf,
  hasSignedIn,
  insertNewSignIn,
  listNewSignInsOf,
  listUnseenSignIns,
  markSignInsSeen,
  type NewSignIn,
  type NewSignInDraft,
} from './new-sign-in-queries.ts'

export type { NewSignIn } from './new-sign-in-queries.ts'

/** Data of the message about a sign-in. */
export interface NewSignInNotice {
  sign_in_id: number
}

/** Kind of the message, whose content depends on the user's preferences (`notifications/new-sign-ins.ts`). */
export const newSignInNotice = { kind: 'new_sign_ins' } as const satisfies QueuedKind<NewSignInNotice>

const maxKept = 20
const maxShown = 3

/**
 * Records a sign-in if the user has not signed in from this browser before. The user's other sessions then show a
 * notice, and the user receives a message. The first sign-in of a user is recorded without them.
 */
export async function recordNewSignIn(deps: Deps, draft: NewSignInDraft, browser: string | undefined): Promise<void> {
  const { db } = deps
  if ((await usersKnownTo(deps, browser)).has(draft.userId)) return
  const isFirst = !(await hasSignedIn(db, draft.userId))
  const id = await insertNewSignIn(db, draft, isFirst)
  if (id !== undefined && !isFirst) {
    const to = { userId: draft.userId }
    await queueMail(deps, newSignInNotice, { to, eventKey: `new-sign-in:${id}`, data: { sign_in_id: id } })
  }
  await deleteOldestNewSignIns(db, draft.userId, maxKept)
}

/** Returns the caller's sign-ins from new browsers, newest first. */
export async function findNewSignIns({ db }: Deps, { user }: Caller): Promise<NewSignIn[]> {
  return listNewSignInsOf(db, user.id)
}

export function findNewSignIn({ db }: Deps, userId: number, id: number): Promise<NewSignIn | undefined> {
  return findNewSignInOf(db, userId, id)
}

/** Returns the newest sign-ins that this browser session still shows a notice about; none for access tokens. */
export async function findUnseenSignIns({ db }: Deps, { user, token }: Caller): Promise<NewSignIn[]> {
  if (token.kind !== 'session') return []
  return listUnseenSignIns(db, { userId: user.id, exceptSessionId: token.id, limit: maxShown })
}

/** Dismisses the notices up to this sign-in. A session cannot dismiss the notice about its own start. */
export async function dismissSignIns({ db }: Deps, { user, token }: Caller, throughId: number): Promise<void> {
  const exceptSessionId = token.kind === 'session' ? token.id : 0
  await markSignInsSeen(db, { userId: user.id, exceptSessionId, throughId })
}
