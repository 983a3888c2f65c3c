import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'

export async function insertSignInLink(
  db: Db,
  { userId, digest, expiresAt, now }: { userId: number; digest: string; expiresAt: string; now: string },
): Promise<void> {
  await db.run(sql`
    insert into sign_in_links (digest, user_id, expires_at, created_at)
    values (${digest}, ${userId}, ${expiresAt}, ${now})`)
}

/** Deletes a link and returns its user, or `undefined` when it does not exist, has expired or was used. */
export async function takeSignInLink(db: Db, digest: string, now: string): Promise<{ userId: number } | undefined> {
  return db.one(sql`
    delete from sign_in_links where digest = ${digest} and expires_at > ${now} returning user_id`)
}

export async function deleteExpiredSignInLinks(db: Db, now: string): Promise<void> {
  await db.run(sql`delete from sign_in_links where expires_at <= ${now}`)
}
