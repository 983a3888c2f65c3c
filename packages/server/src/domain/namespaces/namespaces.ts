import type { Caller } from '../access/callers.ts'
import type { Deps } from '../deps.ts'
import { deleteNamespaceById } from './namespace-queries.ts'

export {
  findNamespaceById,
  findNamespaceByPath,
  findOwnNamespace,
  findPromotionSetting,
  listNamespaceIdsBelow,
  listOwnNamespaces,
  lockNamespace,
  lockNamespaces,
} from './namespace-queries.ts'

/** Returns whether the caller may create a group that is not in another group. */
export function mayCreateTopLevel({ user, isAdmin }: Caller): boolean {
  return isAdmin || (user.canCreateGroup && !user.isExternal)
}

/** Deletes a namespace. The database cascades to subgroups, projects and memberships. */
export async function deleteNamespace({ db }: Deps, id: number): Promise<void> {
  await deleteNamespaceById(db, id)
}
