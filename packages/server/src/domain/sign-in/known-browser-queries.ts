import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'

export async function findKnownBrowserUsers(db: Db, digest: string): Promise<number[]> {
  const rows = await db.all<{ userId: number }>(sql`
    select user_id from known_browsers where digest = ${digest} order by user_id`)
  return rows.map(({ userId }) => userId)
}

export async function upsertKnownBrowser(db: Db, userId: number, digest: string, at: string): Promise<void> {
  await db.run(sql`
    insert into known_browsers (digest, user_id, last_used_at) values (${digest}, ${userId}, ${at})
    on conflict (digest, user_id) do update set last_used_at = excluded.last_used_at`)
}

/** Deletes all but the user's most recently used browsers. */
export async function deleteOldestKnownBrowsers(db: Db, userId: number, kept: number): Promise<void> {
  await db.run(sql`
    delete from known_browsers where user_id = ${userId} and digest not in
      (select digest from known_browsers where user_id = ${userId} order by last_used_at desc, digest limit ${kept})`)
}

export async function deleteKnownBrowsersBefore(db: Db, oldest: string): Promise<void> {
  await db.run(sql`delete from known_browsers where last_used_at < ${oldest}`)
}
