import sql, { raw } from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import type { NotificationName } from './notification.ts'

/** Project or group whose members are notified; `namespaceIds` are those that members are inherited from. */
interface MemberPlace {
  projectId: number | null
  namespaceIds: readonly number[]
}

/** Returns the active users who are members with at least this level and want these messages. */
export async function listSubscribedMembers(
  db: Db,
  { projectId, namespaceIds }: MemberPlace,
  { name, level, today }: { name: Exclude<NotificationName, 'digest' | 'due_dates'>; level: number; today: string },
): Promise<number[]> {
  const rows = await db.all<{ id: number }>(sql`
    select distinct u.id from members m join users u on u.id = m.user_id
      left join notification_settings s on s.user_id = u.id
    where (m.project_id = ${projectId} or m.namespace_id in ${db.dialect.integers(namespaceIds)})
      and m.access_level >= ${level} and (m.expires_on is null or m.expires_on > ${today})
      and u.state = 'active' and u.is_deactivated = false and u.is_ghost = false and u.is_bot = false
      and (s.user_id is null or s.${raw(name)} = true)
    order by u.id`)
  return rows.map(({ id }) => id)
}

/** Returns users who want a digest of this period, by id after the given one. */
export async function listDigestReaders(
  db: Db,
  period: 'daily' | 'weekly',
  afterId: number,
  limit: number,
): Promise<number[]> {
  const rows = await db.all<{ userId: number }>(sql`
    select user_id from notification_settings where digest <> 'off' and digest = ${period} and user_id > ${afterId}
    order by user_id limit ${limit}`)
  return rows.map(({ userId }) => userId)
}

/** Records that the recipients of an event are determined. False when that was done before. */
export async function insertMailEvent(db: Db, key: string, now: string): Promise<boolean> {
  const changed = await db.run(sql`
    insert into mail_events (key, created_at) values (${key}, ${now}) on conflict (key) do nothing`)
  return changed === 1
}

/** Deletes old records. Returns the number of records deleted. */
export async function deleteOldMailEvents(db: Db, before: string, limit: number): Promise<number> {
  return db.run(sql`
    delete from mail_events where key in (
      select key from mail_events where created_at <= ${before} order by created_at limit ${limit})`)
}
