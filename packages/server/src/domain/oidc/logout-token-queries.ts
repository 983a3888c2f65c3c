import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'

/** Records the use of a logout token. Returns false when it was used before. */
export async function insertLogoutToken(db: Db, digest: string, expiresAt: string): Promise<boolean> {
  const inserted = await db.run(sql`
    insert into oidc_logout_tokens (digest, expires_at) values (${digest}, ${expiresAt}) on conflict do nothing`)
  return inserted === 1
}

export async function deleteExpiredLogoutTokens(db: Db, now: string): Promise<void> {
  await db.run(sql`delete from oidc_logout_tokens where expires_at <= ${now}`)
}
