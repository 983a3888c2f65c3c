import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'

export async function insertSession(
  db: Db,
  userId: number,
  digest: string,
  expiresAt: string,
  now: string,
): Promise<void> {
  await db.run(sql`
    insert into sessions (user_id, digest, expires_at, created_at) values (${userId}, ${digest}, ${expiresAt}, ${now})`)
}

export async function findSession(
  db: Db,
  digest: string,
  now: string,
): Promise<{ id: number; userId: number } | undefined> {
  const row = await db.one<{ id: number; user_id: number }>(sql`
    select id, user_id from sessions where digest = ${digest} and expires_at > ${now}`)
  return row && { id: row.id, userId: row.user_id }
}

export async function deleteSession(db: Db, id: number): Promise<void> {
  await db.run(sql`delete from sessions where id = ${id}`)
}

export async function deleteSessionsOf(db: Db, userId: number): Promise<void> {
  await db.run(sql`delete from sessions where user_id = ${userId}`)
}

export async function deleteExpiredSessions(db: Db, now: string): Promise<void> {
  await db.run(sql`delete from sessions where expires_at <= ${now}`)
}
