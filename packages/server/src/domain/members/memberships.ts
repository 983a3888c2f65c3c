/*
 * Reads of memberships that do not depend on the permissions of a caller. `members.ts` checks such permissions, and
 * therefore needs them itself.
 */
import type { Deps } from '../deps.ts'
import { moveMembershipsOf } from './member-queries.ts'

export {
  findAccessLevel,
  isMemberBelow,
  listIdsOwnedByOthers,
  listLevels,
  listMembershipRoots,
} from './member-queries.ts'

/** Gives the memberships of one user to another. */
export function moveMemberships({ db }: Deps, fromId: number, toId: number): Promise<void> {
  return moveMembershipsOf(db, fromId, toId)
}
