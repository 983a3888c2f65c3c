import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import type { BotOwner } from './bot.ts'

/** Access token of a project or group that expires soon. */
export interface ExpiringToken extends BotOwner {
  id: number
  userId: number
  name: string
  createdAt: string
  expiresOn: string
}

/**
 * Returns usable tokens that expire after today and until the given day, by id after the given one, of projects and
 * groups with a webhook for them, which may belong to a group above or to the instance.
 */
export async function listExpiringTokens(
  db: Db,
  { today, until }: { today: string; until: string },
  afterId: number,
  limit: number,
): Promise<ExpiringToken[]> {
  return db.all(sql`
    select t.id, t.user_id, b.project_id, b.namespace_id, t.name, t.created_at, t.expires_on
    from access_tokens t join bots b on b.user_id = t.user_id
      left join projects p on p.id = b.project_id
      join namespaces own on own.id = coalesce(b.namespace_id, p.namespace_id)
    where t.is_revoked = false and t.expires_on > ${today} and t.expires_on <= ${until} and t.id > ${afterId}
      and (exists (
        select 1 from hooks h
        where h.project_id = b.project_id and h.has_access_token_events = true and h.disabled_at is null
      ) or exists (
        select 1 from hooks h join namespaces top on top.id = h.namespace_id
        where h.namespace_id is not null and h.has_access_token_events = true and h.disabled_at is null and (
          top.id = own.id
          or (own.lineage >= top.lineage || top.id || '/' and own.lineage < top.lineage || top.id || '0'))
      ) or exists (
        select 1 from hooks h
        where h.namespace_id is null and h.project_id is null and h.has_access_token_events = true
          and h.disabled_at is null))
    order by t.id limit ${limit}`)
}

/** Records a notice. Returns false when it was sent before. */
export async function insertExpiryNotice(db: Db, tokenId: number, days: number, now: string): Promise<boolean> {
  const changed = await db.run(sql`
    insert into token_expiry_notices (token_id, days, sent_at) values (${tokenId}, ${days}, ${now})
    on conflict do nothing`)
  return changed === 1
}
