import type { Deps } from '../deps.ts'
import { getUser } from '../users/users.ts'
import type { Identity } from './identity.ts'
import { listIdentitiesOf } from './identity-queries.ts'

/** Returns the accounts at identity providers that a user signs in with, with the last sign-in of each. */
export async function findIdentities(deps: Deps, userId: number): Promise<Identity[]> {
  const user = await getUser(deps, userId)
  return listIdentitiesOf(deps.db, user.id)
}
