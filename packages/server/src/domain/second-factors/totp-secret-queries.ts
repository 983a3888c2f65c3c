import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import type { TotpSecret } from './second-factor.ts'

export async function findTotpSecret(db: Db, userId: number): Promise<TotpSecret | undefined> {
  return db.one(sql`select secret, last_step, created_at from totp_secrets where user_id = ${userId}`)
}

/** Stores the user's secret and replaces an earlier one. */
export async function upsertTotpSecret(
  db: Db,
  userId: number,
  { secret, lastStep, createdAt }: TotpSecret,
): Promise<void> {
  await db.run(sql`
    insert into totp_secrets (user_id, secret, last_step, created_at)
    values (${userId}, ${secret}, ${lastStep}, ${createdAt})
    on conflict (user_id) do update set
      secret = excluded.secret, last_step = excluded.last_step, created_at = excluded.created_at`)
}

/** Records the step of an accepted code. Returns false when a code of this or a later step was accepted before. */
export async function advanceTotpStep(
  db: Db,
  userId: number,
  { secret, step }: { secret: string; step: number },
): Promise<boolean> {
  const changed = await db.run(sql`
    update totp_secrets set last_step = ${step}
    where user_id = ${userId} and secret = ${secret} and last_step < ${step}`)
  return changed === 1
}

export async function deleteTotpSecret(db: Db, userId: number): Promise<boolean> {
  return (await db.run(sql`delete from totp_secrets where user_id = ${userId}`)) === 1
}
