import type { Caller } from '../access/callers.ts'
import type { Deps } from '../deps.ts'
import { usersKnownTo } from './known-browsers.ts'
import {
  deleteOldestNewSignIns,
  hasSignedIn,
  insertNewSignIn,
  listNewSignInsOf,
  listUnseenSignIns,
  markSignInsSeen,
  type NewSignIn,
  type NewSignInDraft,
} from './new-sign-in-queries.ts'

export type { NewSignIn } from './new-sign-in-queries.ts'

const maxKept = 20
const maxShown = 3

/**
 * Records a sign-in if the user has not signed in from this browser before. The user's other sessions then show a
 * notice. The first sign-in of a user is recorded without one.
 */
export async function recordNewSignIn(deps: Deps, draft: NewSignInDraft, browser: string | undefined): Promise<void> {
  const { db } = deps
  if ((await usersKnownTo(deps, browser)).has(draft.userId)) return
  const isFirst = !(await hasSignedIn(db, draft.userId))
  await insertNewSignIn(db, draft, isFirst)
  await deleteOldestNewSignIns(db, draft.userId, maxKept)
}

/** Returns the caller's sign-ins from new browsers, newest first. */
export async function findNewSignIns({ db }: Deps, { user }: Caller): Promise<NewSignIn[]> {
  return listNewSignInsOf(db, user.id)
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
