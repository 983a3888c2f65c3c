import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import type { NotificationSettings } from './notification.ts'

/** Returns the user's settings, or `undefined` for the defaults. */
export async function findNotificationSettings(db: Db, userId: number): Promise<NotificationSettings | undefined> {
  return db.one(sql`
    select new_vulnerabilities, held_reports, expiring_tokens, new_sign_ins, due_dates, digest
    from notification_settings where user_id = ${userId}`)
}

export async function upsertNotificationSettings(
  db: Db,
  userId: number,
  { newVulnerabilities, heldReports, expiringTokens, newSignIns, dueDates, digest }: NotificationSettings,
  now: string,
): Promise<void> {
  await db.run(sql`
    insert into notification_settings (user_id, new_vulnerabilities, held_reports, expiring_tokens, new_sign_ins,
      due_dates, digest, updated_at)
    values (${userId}, ${newVulnerabilities}, ${heldReports}, ${expiringTokens}, ${newSignIns}, ${dueDates}, ${digest},
      ${now})
    on conflict (user_id) do update set new_vulnerabilities = excluded.new_vulnerabilities,
      held_reports = excluded.held_reports, expiring_tokens = excluded.expiring_tokens, new_sign_ins = excluded.new_sign_ins,
      due_dates = excluded.due_dates, digest = excluded.digest, updated_at = excluded.updated_at`)
}

/** Returns whether the user has turned off messages about sign-ins at this time or before. */
export async function hasTurnedOffSignIns(db: Db, userId: number, at: string): Promise<boolean> {
  const row = await db.one(sql`
    select 1 as found from notification_settings
    where user_id = ${userId} and new_sign_ins = false and updated_at <= ${at}`)
  return row !== undefined
}

/** Returns the key of signatures; the first call stores the given one. */
export async function findOrInsertKey(db: Db, fresh: string): Promise<string> {
  await db.run(sql`insert into mail_keys (id, secret) values (1, ${fresh}) on conflict (id) do nothing`)
  const row = await db.one<{ secret: string }>(sql`select secret from mail_keys where id = 1`)
  return row?.secret ?? fresh
}
