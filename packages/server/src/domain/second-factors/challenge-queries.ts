import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import type { Challenge } from './second-factor.ts'

export async function insertChallenge(
  db: Db,
  { kind, userId, method, totpSecret }: Challenge,
  { digest, expiresAt }: { digest: string; expiresAt: string },
): Promise<void> {
  await db.run(sql`
    insert into sign_in_challenges (digest, kind, user_id, method, totp_secret, expires_at)
    values (${digest}, ${kind}, ${userId}, ${method}, ${totpSecret}, ${expiresAt})`)
}

/** Counts an attempt and returns the challenge, unless it has expired or had too many attempts. */
export async function countChallengeAttempt(
  db: Db,
  { digest, kind, now, maxAttempts }: { digest: string; kind: string; now: string; maxAttempts: number },
): Promise<Challenge | undefined> {
  return db.one(sql`
    update sign_in_challenges set attempts = attempts + 1
    where digest = ${digest} and kind = ${kind} and expires_at > ${now} and attempts < ${maxAttempts}
    returning kind, user_id, method, totp_secret`)
}

/** Deletes a challenge and returns it. Returns `undefined` when another request has used it, so that one does. */
export async function takeChallenge(
  db: Db,
  { digest, kind, now }: { digest: string; kind: string; now: string },
): Promise<Challenge | undefined> {
  return db.one(sql`
    delete from sign_in_challenges where digest = ${digest} and kind = ${kind} and expires_at > ${now}
    returning kind, user_id, method, totp_secret`)
}

export async function deleteExpiredChallenges(db: Db, now: string): Promise<void> {
  await db.run(sql`delete from sign_in_challenges where expires_at <= ${now}`)
}

/** Deletes what a user has begun, except sign-ins with a passkey, which are of no user yet. */
export async function deleteChallengesOf(db: Db, userId: number): Promise<void> {
  await db.run(sql`delete from sign_in_challenges where user_id = ${userId}`)
}
