import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'

export async function insertPasswordLink(
  db: Db,
  { userId, digest, expiresAt, now }: { userId: number; digest: string; expiresAt: string; now: string },
): Promise<void> {
  await db.run(sql`
    insert into password_links (user_id, digest, expires_at, created_at)
    values (${userId}, ${digest}, ${expiresAt}, ${now})`)
}

/** Returns the user of a password link, or `undefined` when the link does not exist or has expired. */
export async function findPasswordLink(db: Db, digest: string, now: string): Promise<{ userId: number } | undefined> {
  return db.one(sql`
    select user_id from password_links where digest = ${digest} and expires_at > ${now}`)
}

/** Deletes a password link. Returns false when it is already deleted, so that one request changes the password. */
export async function deletePasswordLink(db: Db, digest: string): Promise<boolean> {
  return (await db.run(sql`delete from password_links where digest = ${digest}`)) === 1
}

export async function deletePasswordLinksOf(db: Db, userId: number): Promise<void> {
  await db.run(sql`delete from password_links where user_id = ${userId}`)
}

export async function deleteExpiredPasswordLinks(db: Db, now: string): Promise<void> {
  await db.run(sql`delete from password_links where expires_at <= ${now}`)
}
