import { type Permission, type PermissionRow, permissions } from '../access/permissions.ts'
import { isPermitted, isPermittedInArchive } from '../access/permitted.ts'
import type { Deps } from '../deps.ts'
import { changesOfMirror } from '../import-sources/mirrors.ts'
import { findUserById } from '../users/users.ts'
import type { Project } from './project.ts'
import { projectLevel, type Visitor } from './visible.ts'

/** User on whose behalf deferred work runs. */
export interface Requester {
  userId: number | null
  /** Whether the request had administrator rights. In admin mode, some tokens of administrators do not. */
  asAdmin: boolean
}

/**
 * Returns the user with their current rights, limited to those that the request had. Returns null when the account was
 * deleted or may not sign in.
 */
export async function currentVisitor(deps: Deps, { userId, asAdmin }: Requester): Promise<Visitor | null> {
  const user = userId === null ? undefined : await findUserById(deps.db, userId)
  if (!user || user.isGhost || user.state !== 'active') return null
  return { user, isAdmin: asAdmin && user.isAdmin }
}

/** Returns true when the guard would currently permit this user, for work that runs after its request. */
export async function isStillPermitted(
  deps: Deps,
  permission: Permission,
  project: Project,
  requester: Requester,
): Promise<boolean> {
  return (await currentRights(deps, project, requester))(permission)
}

/** Returns a function that returns true when the guard would currently permit this user, for several permissions. */
export async function currentRights(
  deps: Deps,
  project: Project,
  requester: Requester,
): Promise<(permission: Permission) => boolean> {
  const visitor = await currentVisitor(deps, requester)
  if (!visitor) return () => false
  const isOfRole = await rightsOfRole(deps, project, visitor)
  const isPermittedHere = await changesOfMirror(deps, visitor.user.id, { kind: 'project', id: project.id })
  return (permission) => isPermittedHere(permissions[permission]) && isOfRole(permission)
}

/** Returns true when the role of the user includes the permission, also in a mirror that permits no local changes. */
export async function isPermittedToRole(
  deps: Deps,
  permission: Permission,
  project: Project,
  requester: Requester,
): Promise<boolean> {
  const visitor = await currentVisitor(deps, requester)
  return visitor !== null && (await rightsOfRole(deps, project, visitor))(permission)
}

async function rightsOfRole(
  deps: Deps,
  project: Project,
  visitor: Visitor,
): Promise<(permission: Permission) => boolean> {
  const level = await projectLevel(deps, project, visitor)
  return (permission) => {
    const row: PermissionRow = permissions[permission]
    if (project.isArchived && !isPermittedInArchive(row)) return false
    return isPermitted(deps.settings, row, { isSignedIn: true, isAdmin: visitor.isAdmin, level })
  }
}
