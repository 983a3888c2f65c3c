/*
 * Reads of memberships that do not depend on the permissions of a caller. `members.ts` checks such permissions, and
 * therefore needs them itself.
 */
export {
  findAccessLevel,
  isMemberBelow,
  listIdsOwnedByOthers,
  listLevels,
  listMembershipRoots,
} from './member-queries.ts'
