import { forbidden } from '../../platform/failure.ts'
import type { Caller } from '../access/callers.ts'
import { getTrustRelation, recordTrustEvent } from '../bots/trust/trust-relations.ts'
import type { Deps } from '../deps.ts'
import type { MemberPlace } from '../members/members.ts'
import { removeBot } from './remove.ts'

/** Deletes a trust relation with its bot. What the bot created gets the ghost user as its author. */
export async function removeTrustRelation(deps: Deps, caller: Caller, place: MemberPlace, id: number): Promise<void> {
  if (caller.user.isBot) throw forbidden('Bot users cannot manage trust relations')
  const relation = await getTrustRelation(deps, place, id)
  await removeBot(deps, relation.userId, (deps) =>
    recordTrustEvent(deps, 'trust_relation_destroyed', place, { relation }),
  )
}
