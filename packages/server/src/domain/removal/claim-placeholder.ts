import { refused } from '../../platform/failure.ts'
import type { Caller } from '../access/callers.ts'
import { userEntity } from '../audit/audit-event.ts'
import { recordAuditEvent } from '../audit/record.ts'
import { type Deps, transaction } from '../deps.ts'
import { moveImportedUser } from '../import-sources/import-sources.ts'
import { moveMemberships } from '../members/memberships.ts'
import { findOwnNamespace } from '../namespaces/namespaces.ts'
import { listProjectIdsBelow, transferProject } from '../projects/projects.ts'
import type { User } from '../users/user.ts'
import { lockUser, moveReferences } from '../users/users.ts'
import { removeUser } from './remove.ts'

/** Domain of the addresses that the importer gives to users whom it cannot match. */
const placeholderDomain = '@placeholder.invalid'

/**
 * Gives everything of a placeholder to a user: what it has created and decided, its assignments, memberships and
 * personal projects, and its identity in later imports. Then deletes the placeholder.
 */
export async function claimPlaceholder(deps: Deps, caller: Caller, placeholder: User, user: User): Promise<void> {
  if (!isPlaceholder(placeholder)) throw refused('The user is not a placeholder of an import.')
  if (user.id === placeholder.id || isPlaceholder(user) || user.isBot || user.isGhost) {
    throw refused('A placeholder can only be given to the account of a person.')
  }
  await transaction(deps, async (deps) => {
    for (const id of [placeholder.id, user.id].sort((one, other) => one - other)) await lockUser(deps.db, id)
    await moveProjects(deps, caller, placeholder, user)
    await moveMemberships(deps, placeholder.id, user.id)
    await moveImportedUser(deps.db, placeholder.id, user.id, deps.now())
    await moveReferences(deps, placeholder.id, user.id)
    await recordAuditEvent(deps, 'placeholder_claimed', {
      entity: userEntity(user),
      message: 'Gave the contributions of a placeholder to the user',
      target: { type: 'User', id: placeholder.id, name: placeholder.username },
    })
  })
  await removeUser(deps, placeholder, false)
}

const isPlaceholder = ({ email }: User) => email.toLowerCase().endsWith(placeholderDomain)

async function moveProjects(deps: Deps, caller: Caller, placeholder: User, user: User): Promise<void> {
  const from = await findOwnNamespace(deps.db, placeholder.id)
  const to = await findOwnNamespace(deps.db, user.id)
  if (!from || !to) return
  for (const id of await listProjectIdsBelow(deps.db, [from])) await transferProject(deps, caller, id, String(to.id))
}
