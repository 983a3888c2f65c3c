import { type Permission, type PermissionRow, permissions } from '../access/permissions.ts'
import { isPermitted, isPermittedInArchive } from '../access/permitted.ts'
import type { Deps } from '../deps.ts'
import { findUserById } from '../users/user-queries.ts'
import type { Project } from './project.ts'
import { projectLevel, type Visitor } from './visible.ts'

/** The user in whose name deferred work runs. */
export interface Requester {
  userId: number | null
  /** Whether the request had administrator rights; in admin mode not every token of an administrator has them. */
  asAdmin: boolean
}

/**
 * Returns the user with the rights they have now, never more than the request had; null when the account has been
 * deleted or may not sign in.
 */
export async function currentVisitor(deps: Deps, { userId, asAdmin }: Requester): Promise<Visitor | null> {
  const user = userId === null ? undefined : await findUserById(deps.db, userId)
  if (!user || user.isGhost || user.state !== 'active') return null
  return { user, isAdmin: asAdmin && user.isAdmin }
}

/** Whether the guard would let this user through now, for work that runs some time after its request. */
export async function isStillPermitted(
  deps: Deps,
  permission: Permission,
  project: Project,
  requester: Requester,
): Promise<boolean> {
  const visitor = await currentVisitor(deps, requester)
  if (!visitor) return false
  const row: PermissionRow = permissions[permission]
  if (project.isArchived && !isPermittedInArchive(row)) return false
  const level = await projectLevel(deps, project, visitor)
  return isPermitted(deps.settings, row, { isSignedIn: true, isAdmin: visitor.isAdmin, level })
}
