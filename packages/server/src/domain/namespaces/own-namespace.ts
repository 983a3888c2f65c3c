import type { Deps } from '../deps.ts'
import { makeOwner } from '../members/members.ts'
import { moveProjectsBelow } from '../projects/projects.ts'
import type { User } from '../users/user.ts'
import { redirectNamespace, removeMovedPaths } from './moved-paths.ts'
import { findOwnNamespace } from './namespaces.ts'
import { defaultOrganizationId } from './organizations.ts'
import { insertOwnNamespace, updateOwnNamespace } from './own-namespace-queries.ts'

/** Creates the namespace of a user's personal projects and makes the user its owner. */
export async function createOwnNamespace(deps: Deps, user: User): Promise<void> {
  const namespaceId = await insertOwnNamespace(deps.db, user, defaultOrganizationId, deps.now())
  await removeMovedPaths(deps, user.username)
  await makeOwner(deps, { namespaceId }, user.id, null)
}

/** Applies a change of the user's name or username to the namespace and its projects. */
export async function renameOwnNamespace(deps: Deps, user: User): Promise<void> {
  const before = await findOwnNamespace(deps.db, user.id)
  if (!before) return
  await updateOwnNamespace(deps.db, user, deps.now())
  const after = { ...before, fullPath: user.username }
  await moveProjectsBelow(deps, before, after)
  await redirectNamespace(deps, before, after)
}
