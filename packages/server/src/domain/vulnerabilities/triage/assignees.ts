import { parameterProblem } from '../../../platform/failure.ts'
import type { Deps } from '../../deps.ts'
import { isPermittedToRole } from '../../projects/current-rights.ts'
import type { Project } from '../../projects/project.ts'
import { findUsersById } from '../../users/users.ts'
import type { Assignee } from '../vulnerability.ts'
import type { Change } from './change.ts'

/*
 * An assignee must be permitted to triage the vulnerabilities of the project when they are assigned. The assignment
 * outlives that permission, because a loss can be temporary and has many causes: blocked users, removed and expired
 * members, transferred projects. It gives no access. Deleting the user ends it.
 */

/** Returns true when the role of the user includes triage in the project now. A mirror shows the assignees of its source. */
export function mayTriage(deps: Deps, project: Project, userId: number): Promise<boolean> {
  return isPermittedToRole(deps, 'vulnerability.assign', project, { userId, asAdmin: true })
}

/** Returns the user. Throws the same error for a user who may not triage and for one who does not exist. */
export async function getAssignable(deps: Deps, project: Project, userId: number): Promise<Assignee> {
  const [user] = (await mayTriage(deps, project, userId)) ? await findUsersById(deps.db, [userId]) : []
  if (!user)
    throw parameterProblem(`assignee_id: ${userId} is not a user who may triage vulnerabilities of ${project.fullPath}`)
  return user
}

/** Throws when a change assigns vulnerabilities of the project to a user who may not triage them. */
export async function assertAssignable(deps: Deps, project: Project, change: Change): Promise<void> {
  if (change.action === 'assign') await getAssignable(deps, project, change.assigneeId)
}

/** Returns those of the users who may triage vulnerabilities of the project now. */
export async function listWhoMayTriage(deps: Deps, project: Project, userIds: readonly number[]): Promise<Set<number>> {
  const permitted = new Set<number>()
  for (const id of new Set(userIds)) if (await mayTriage(deps, project, id)) permitted.add(id)
  return permitted
}

/** Returns usernames by id. */
export async function usernamesOf(deps: Deps, userIds: readonly number[]): Promise<ReadonlyMap<number, string>> {
  if (userIds.length === 0) return new Map()
  const users = await findUsersById(deps.db, [...new Set(userIds)])
  return new Map(users.map(({ id, username }) => [id, username]))
}
