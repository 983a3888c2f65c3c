import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import type { DisplaySettings } from './display-setting.ts'

/** Returns the user's settings, or `undefined` for the defaults. */
export async function findDisplaySettings(db: Db, userId: number): Promise<DisplaySettings | undefined> {
  const row = await db.one<Omit<DisplaySettings, 'pageKeys'> & { pageKeys: boolean | number }>(sql`
    select time_zone, date_format, number_format, times, density, page_keys from display_settings where user_id = ${userId}`)
  return row && { ...row, pageKeys: Boolean(row.pageKeys) }
}

export async function upsertDisplaySettings(
  db: Db,
  userId: number,
  { timeZone, dateFormat, numberFormat, times, density, pageKeys }: DisplaySettings,
  now: string,
): Promise<void> {
  await db.run(sql`
    insert into display_settings (user_id, time_zone, date_format, number_format, times, density, page_keys, updated_at)
    values (${userId}, ${timeZone}, ${dateFormat}, ${numberFormat}, ${times}, ${density}, ${pageKeys}, ${now})
    on conflict (user_id) do update set time_zone = excluded.time_zone, date_format = excluded.date_format,
      number_format = excluded.number_format, times = excluded.times, density = excluded.density, page_keys = excluded.page_keys, updated_at = excluded.updated_at`)
}
