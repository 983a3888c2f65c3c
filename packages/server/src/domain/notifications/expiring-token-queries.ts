import sql, { type Sql } from 'sql-template-tag'
import type { Db } from '../../db/db.ts'

/** Token of a user, or of a project or group. */
export interface ExpiringToken {
  id: number
  userId: number
  projectId: number | null
  namespaceId: number | null
  name: string
  createdAt: string
  expiresOn: string
}

const selectTokens: Sql = sql`
  select t.id, t.user_id, b.project_id, b.namespace_id, t.name, t.created_at, t.expires_on
  from access_tokens t left join bots b on b.user_id = t.user_id
  where t.is_revoked = false and t.kind = 'personal' and t.expires_on is not null`

/** Days in ascending order, as YYYY-MM-DD. */
interface ExpiryDays {
  today: string
  inOneDay: string
  inSevenDays: string
  inThirtyDays: string
}

/**
 * Returns usable tokens that expire after today and within 30 days and whose interval was not announced, by id after the
 * given one.
 */
export async function listExpiringTokens(
  db: Db,
  { today, inOneDay, inSevenDays, inThirtyDays }: ExpiryDays,
  afterId: number,
  limit: number,
): Promise<ExpiringToken[]> {
  return db.all(sql`
    ${selectTokens} and t.expires_on > ${today} and t.expires_on <= ${inThirtyDays} and t.id > ${afterId}
      and not exists (select 1 from mail_events e where e.key = 'token-expiry:' || t.id || ':' ||
        case when t.expires_on <= ${inOneDay} then '1' when t.expires_on <= ${inSevenDays} then '7' else '30' end)
    order by t.id limit ${limit}`)
}

/** Returns a token unless it was revoked. */
export async function findExpiringToken(db: Db, id: number): Promise<ExpiringToken | undefined> {
  return db.one(sql`${selectTokens} and t.id = ${id}`)
}
