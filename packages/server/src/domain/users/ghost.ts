import { type Deps, transaction } from '../deps.ts'
import { findOrInsertGhost } from './ghost-queries.ts'
import type { User } from './user.ts'
import { deleteUser, reassignReferences } from './user-queries.ts'

/** Returns the id of the ghost user, which replaces deleted users as an author. Creates it on first use. */
export function ensureGhost({ db, now }: Deps): Promise<number> {
  return findOrInsertGhost(db, now())
}

/**
 * Reassigns what the user has created to the ghost, then deletes the user. The database cascades to tokens, memberships
 * and the user's own namespace.
 */
export function replaceByGhost(deps: Deps, user: User): Promise<void> {
  return transaction(deps, async (deps) => {
    await reassignReferences(deps.db, user.id, await ensureGhost(deps))
    await deleteUser(deps.db, user.id)
  })
}
