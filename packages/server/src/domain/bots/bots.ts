import type { Caller } from '../access/callers.ts'
import { type Deps, transaction } from '../deps.ts'
import { addBotMember, type MemberPlace } from '../members/members.ts'
import type { User } from '../users/user.ts'
import { insertBotUser } from '../users/users.ts'
import type { BotOwner } from './bot.ts'
import { insertBot, listBotLevels } from './bot-queries.ts'

export { findBot, listBotIds, listIdleBotIds } from './bot-queries.ts'

export function ownerOf({ project, group }: MemberPlace): BotOwner {
  return { projectId: project?.id ?? null, namespaceId: group?.id ?? null }
}

/** Creates a bot that is a member of the project or group with this access level. */
export function createBot(
  deps: Deps,
  { user: creator }: Pick<Caller, 'user'>,
  place: MemberPlace,
  { name, accessLevel, isExternal }: { name: string; accessLevel: number; isExternal: boolean },
): Promise<User> {
  return transaction(deps, async (deps) => {
    const owner = place.project ? `project_${place.project.id}` : `group_${place.group.id}`
    const username = `${owner}_bot_${deps.random(16).toString('hex')}`
    const email = `${username}@noreply.alcove.invalid`
    const bot = await insertBotUser(deps.db, { username, email, name, isExternal }, creator.id, deps.now())
    await insertBot(deps.db, { userId: bot.id, ...ownerOf(place) }, deps.now())
    await addBotMember(deps, place, { userId: bot.id, accessLevel, createdById: creator.id })
    return bot
  })
}

/** Returns the access levels of bots by user id. */
export async function findBotLevels({ db }: Deps, userIds: readonly number[]): Promise<Map<number, number>> {
  const levels = await listBotLevels(db, userIds)
  return new Map(levels.map(({ userId, level }) => [userId, level]))
}
