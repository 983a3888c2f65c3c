import { roles } from '../access/roles.ts'
import type { Deps } from '../deps.ts'
import type { User } from '../users/user.ts'
import { forgetMovedPaths, insertMovedNamespace } from './moved-path-queries.ts'
import { findOwnNamespace } from './namespace-queries.ts'
import { defaultOrganizationId } from './organizations.ts'
import {
  insertOwnMembership,
  insertOwnNamespace,
  updateOwnNamespace,
  updateOwnProjectPaths,
} from './own-namespace-queries.ts'

/** Creates the namespace of a user's personal projects and makes the user its owner. */
export async function createOwnNamespace(deps: Deps, user: User): Promise<void> {
  const now = deps.now()
  const namespaceId = await insertOwnNamespace(deps.db, user, defaultOrganizationId, now)
  await forgetMovedPaths(deps.db, user.username)
  await insertOwnMembership(deps.db, namespaceId, user.id, roles.owner, now)
}

/** Applies a change of the user's name or username to the namespace and its projects. */
export async function renameOwnNamespace(deps: Deps, user: User): Promise<void> {
  const now = deps.now()
  const before = await findOwnNamespace(deps.db, user.id)
  await updateOwnNamespace(deps.db, user, now)
  await updateOwnProjectPaths(deps.db, user)
  if (!before || before.fullPath.toLowerCase() === user.username.toLowerCase()) return
  await forgetMovedPaths(deps.db, user.username)
  await insertMovedNamespace(deps.db, { ...before, fullPath: user.username }, before.fullPath, now)
}
