import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'

export async function insertRecoveryCodes(db: Db, userId: number, digests: readonly string[]): Promise<void> {
  await db.run(sql`
    insert into recovery_codes (user_id, digest)
    select ${userId}, code.digest from ${db.dialect.records(
      digests.map((digest) => ({ digest })),
      { digest: 'text' },
    )} as code`)
}

/** Deletes a code. Returns false when the user has no such code, or another request has used it. */
export async function deleteRecoveryCode(db: Db, userId: number, digest: string): Promise<boolean> {
  return (await db.run(sql`delete from recovery_codes where user_id = ${userId} and digest = ${digest}`)) === 1
}

export async function deleteRecoveryCodesOf(db: Db, userId: number): Promise<void> {
  await db.run(sql`delete from recovery_codes where user_id = ${userId}`)
}

export async function countRecoveryCodes(db: Db, userId: number): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from recovery_codes where user_id = ${userId}`)
  return row?.total ?? 0
}
