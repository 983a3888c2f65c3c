import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import type { Bot } from './bot.ts'

export async function findBot(db: Db, userId: number): Promise<Bot | undefined> {
  return db.one(sql`select user_id, project_id, namespace_id from bots where user_id = ${userId}`)
}

export async function insertBot(db: Db, bot: Bot, now: string): Promise<void> {
  await db.run(sql`
    insert into bots (user_id, project_id, namespace_id, created_at)
    values (${bot.userId}, ${bot.projectId}, ${bot.namespaceId}, ${now})`)
}

/** Returns the user ids of the bots of these projects and namespaces. */
export async function listBotIds(
  db: Db,
  projectIds: readonly number[],
  namespaceIds: readonly number[],
): Promise<number[]> {
  const rows = await db.all<{ userId: number }>(sql`
    select user_id from bots
    where project_id in ${db.dialect.integers(projectIds)} or namespace_id in ${db.dialect.integers(namespaceIds)}
    order by user_id`)
  return rows.map(({ userId }) => userId)
}

/** Returns the access levels of bots in their own project or group. */
export async function listBotLevels(db: Db, userIds: readonly number[]): Promise<{ userId: number; level: number }[]> {
  return db.all(sql`
    select b.user_id, m.access_level as level from bots b join members m on m.user_id = b.user_id
      and (m.project_id = b.project_id or m.namespace_id = b.namespace_id)
    where b.user_id in ${db.dialect.integers(userIds)} order by b.user_id`)
}

/** Returns up to `limit` bots that have had tokens, all of which were revoked or had expired by the date. */
export async function listIdleBotIds(db: Db, expiredBy: string, limit: number): Promise<number[]> {
  const rows = await db.all<{ userId: number }>(sql`
    select b.user_id from bots b
    where exists (select 1 from access_tokens t where t.user_id = b.user_id and t.expires_on <= ${expiredBy})
      and not exists (
        select 1 from access_tokens t
        where t.user_id = b.user_id and (t.expires_on is null or t.expires_on > ${expiredBy}))
    order by b.user_id limit ${limit}`)
  return rows.map(({ userId }) => userId)
}
