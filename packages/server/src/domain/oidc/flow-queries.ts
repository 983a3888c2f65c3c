import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import type { Flow } from './flow.ts'

export async function insertFlow(
  db: Db,
  { provider, returnTo, sessionId, createdAt }: Flow,
  { digest, browser, expiresAt }: { digest: string; browser: string; expiresAt: string },
): Promise<void> {
  await db.run(sql`
    insert into oidc_flows (digest, provider, browser, return_to, session_id, created_at, expires_at)
    values (${digest}, ${provider}, ${browser}, ${returnTo}, ${sessionId}, ${createdAt}, ${expiresAt})`)
}

/** Returns a flow that this browser has begun with this provider and that has not expired. */
export async function findFlow(
  db: Db,
  { digest, browser, provider, now }: { digest: string; browser: string; provider: string; now: string },
): Promise<Flow | undefined> {
  return db.one(sql`
    select provider, return_to, session_id, created_at from oidc_flows
    where digest = ${digest} and browser = ${browser} and provider = ${provider} and expires_at > ${now}`)
}

/** Deletes a flow. Returns false when it is already deleted, so that one request uses it. */
export async function deleteFlow(db: Db, digest: string): Promise<boolean> {
  return (await db.run(sql`delete from oidc_flows where digest = ${digest}`)) === 1
}

export async function deleteExpiredFlows(db: Db, now: string): Promise<void> {
  await db.run(sql`delete from oidc_flows where expires_at <= ${now}`)
}
