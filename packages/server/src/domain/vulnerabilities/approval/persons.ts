import type { Deps } from '../../deps.ts'
import { listIssuersFor, listIssuersOfFamily } from '../../tokens/tokens.ts'
import type { User } from '../../users/user.ts'

type Requester = Pick<User, 'id' | 'isBot' | 'createdById'>

/** Returns who acts: the administrator, when one acts as the user with `Sudo`. */
export const personOf = ({ actor }: Deps, userId: number): number => actor?.sudoBy?.id ?? userId

/** Returns everyone who may be behind a request of this user, because they have, or had, the token that makes it. */
export async function listPersonsBehind(deps: Deps, user: Requester): Promise<number[]> {
  const persons = [...(await listTokenIssuers(deps)), ...(await listPersonsOfBot(deps, user))]
  return [...new Set([personOf(deps, user.id), ...persons])]
}

/** Returns who created or rotated the token of the current request. */
export async function listTokenIssuers({ db, actor }: Deps): Promise<number[]> {
  const token = actor?.token
  const isStored = token?.kind === 'personal' || token?.kind === 'impersonation'
  return isStored ? listIssuersOfFamily(db, token.id) : []
}

/** Returns who created a bot, and who created or rotated any of its tokens. */
export async function listPersonsOfBot({ db }: Deps, { id, isBot, createdById }: Requester): Promise<number[]> {
  if (!isBot) return []
  const issuers = await listIssuersFor(db, id)
  return createdById === null ? issuers : [createdById, ...issuers]
}
