import sql from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'

export async function insertPasswordLink(
  db: Db,
  { userId, digest, expiresAt, now }: { userId: number; digest: string; expiresAt: string; now: string },
): Promise<void> {
  await db.run(sql`
    insert into password_links (user_id, digest, expires_at, created_at)
    values (${userId}, ${digest}, ${expiresAt}, ${now})`)
}

/**
 * Returns a user who may request a link by e-mail: an active user with an address who signs in with a password, or who has
 * no other way to sign in. Accounts that only a provider signs in do not get a password in this way.
 */
export async function findPasswordRequester(
  db: Db,
  userId: number,
): Promise<{ id: number; username: string } | undefined> {
  return db.one(sql`
    select id, username from users
    where id = ${userId} and state = 'active' and is_deactivated = false and is_bot = false and is_ghost = false
      and email_key not like '%.invalid'
      and (password_hash is not null or not exists (select 1 from oidc_identities i where i.user_id = users.id))`)
}

/** Returns a link that has not expired by the digest of one of its secrets, or `undefined`. */
export async function findPasswordLink(
  db: Db,
  digest: string,
  now: string,
): Promise<{ id: number; userId: number } | undefined> {
  return db.one(sql`
    select id, user_id from password_links where (digest = ${digest} or mail_digest = ${digest}) and expires_at > ${now}`)
}

/**
 * Replaces the secret that is sent by e-mail. Returns `undefined` when the link was used or withdrawn, or has expired.
 */
export async function updateMailedSecret(
  db: Db,
  digest: string,
  mailDigest: string,
  now: string,
): Promise<{ userId: number; expiresAt: string } | undefined> {
  return db.one(sql`
    update password_links set mail_digest = ${mailDigest} where digest = ${digest} and expires_at > ${now}
    returning user_id, expires_at`)
}

/** Deletes a password link. Returns false when it is already deleted, so that one request changes the password. */
export async function deletePasswordLink(db: Db, id: number): Promise<boolean> {
  return (await db.run(sql`delete from password_links where id = ${id}`)) === 1
}

export async function deletePasswordLinksOf(db: Db, userId: number): Promise<void> {
  await db.run(sql`delete from password_links where user_id = ${userId}`)
}

export async function deleteAllPasswordLinks(db: Db): Promise<void> {
  await db.run(sql`delete from password_links`)
}

export async function deleteExpiredPasswordLinks(db: Db, now: string): Promise<void> {
  await db.run(sql`delete from password_links where expires_at <= ${now}`)
}
