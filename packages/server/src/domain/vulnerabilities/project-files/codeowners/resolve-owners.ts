import type { Deps } from '../../../deps.ts'
import type { Project } from '../../../projects/project.ts'
import type { User } from '../../../users/user.ts'
import { findUserByEmail, findUserByUsername } from '../../../users/users.ts'
import { mayTriage } from '../../triage/assignees.ts'

/** A user who may triage the project, or undefined. It does not return why an owner is no such user, which would reveal accounts. */
export type ResolveOwner = (owner: string) => Promise<Pick<User, 'id' | 'username'> | undefined>

/** Returns a function that finds the users of owners, each once. */
export function openResolver(deps: Deps, project: Project): ResolveOwner {
  const known = new Map<string, ReturnType<ResolveOwner>>()
  const find = async (owner: string) => {
    const user = await (owner.startsWith('@')
      ? findUserByUsername(deps.db, owner.slice(1))
      : findUserByEmail(deps.db, owner))
    const isAssignable = user && !user.isBot && (await mayTriage(deps, project, user.id))
    return isAssignable ? { id: user.id, username: user.username } : undefined
  }
  return (owner) => {
    const key = owner.toLowerCase()
    const found = known.get(key) ?? find(key)
    known.set(key, found)
    return found
  }
}
