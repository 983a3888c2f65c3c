import type { Caller } from '../access/callers.ts'
import { assertManages, getAccessToken, revokePlaceToken } from '../bots/access-tokens.ts'
import { listIdleBotIds } from '../bots/bots.ts'
import type { Deps } from '../deps.ts'
import type { MemberPlace } from '../members/members.ts'
import { dayAfter } from '../tokens/issue.ts'
import { hasUsableToken } from '../tokens/issued-tokens.ts'
import { removeBot } from './remove.ts'

/**
 * Revokes a token of a project or group. A bot without another usable token is deleted with its tokens, and what it
 * created gets the ghost user as its author.
 */
export async function revokeAccessToken(deps: Deps, caller: Caller, place: MemberPlace, id: number): Promise<void> {
  const token = await getAccessToken(deps, place, id)
  assertManages(caller, place, token)
  await revokePlaceToken(deps, place, token)
  if (!(await hasUsableToken(deps, token.userId))) await removeBot(deps, token.userId)
}

const keptDays = 30
const batchSize = 100

/** Deletes bots a month after their last token has expired. */
export async function removeIdleBots(deps: Deps): Promise<void> {
  for (;;) {
    const ids = await listIdleBotIds(deps.db, dayAfter(deps, -keptDays), batchSize)
    for (const id of ids) await removeBot(deps, id)
    if (ids.length < batchSize) return
  }
}
