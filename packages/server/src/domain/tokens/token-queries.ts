import sql, { join, type Sql } from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import { maxCountedRows, type PageRequest } from '../page.ts'
import type { AccessToken, TokenFilter, TokenOrder } from './token.ts'

const columns = sql`t.id, t.user_id, t.kind, t.name, t.description, t.scopes, t.is_revoked, t.family_id,
  t.issued_by_id, t.expires_on, t.created_at`
const tokensWithUse = sql`access_tokens t left join token_uses u on u.token_id = t.id`

/** Returns a token without its time of last use, which changes too often to be cached. */
export async function findTokenByDigest(db: Db, digest: string): Promise<AccessToken | undefined> {
  return db.one(sql`
    select ${columns}, null as last_used_at from access_tokens t where t.digest = ${digest}`)
}

export async function findTokenById(db: Db, id: number): Promise<AccessToken | undefined> {
  return db.one(sql`
    select ${columns}, u.last_used_at from ${tokensWithUse} where t.id = ${id}`)
}

/** Returns one row more than the page holds. */
export async function listTokens(
  db: Db,
  filter: TokenFilter,
  { order, today, page }: { order: TokenOrder | undefined; today: string; page: PageRequest },
): Promise<AccessToken[]> {
  return db.all(sql`
    select ${columns}, u.last_used_at from ${tokensWithUse} where ${conditions(db, filter, today)}
    order by ${order ? orders[order] : sql`t.id`} limit ${page.perPage + 1} offset ${page.offset}`)
}

/** Counts matching tokens, up to one above the maximum total of lists. */
export async function countTokens(db: Db, filter: TokenFilter, today: string): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from
      (select 1 from ${tokensWithUse} where ${conditions(db, filter, today)} limit ${maxCountedRows + 1}) as counted`)
  return row?.total ?? 0
}

export async function insertToken(
  db: Db,
  token: Omit<AccessToken, 'id' | 'isRevoked' | 'lastUsedAt'>,
  digest: string,
): Promise<AccessToken> {
  const row = await db.one<AccessToken>(sql`
    insert into access_tokens (user_id, kind, name, description, digest, scopes, family_id, issued_by_id, expires_on,
      created_at)
    values (${token.userId}, ${token.kind}, ${token.name}, ${token.description}, ${digest},
      ${JSON.stringify(token.scopes)}, ${token.familyId}, ${token.issuedById}, ${token.expiresOn},
      ${token.createdAt})
    returning id, user_id, kind, name, description, scopes, is_revoked, family_id, issued_by_id, expires_on, created_at,
      null as last_used_at`)
  if (!row) throw new Error('an inserted token did not come back')
  return row
}

/** Returns the users who issued this token, or one from which it descends by rotation. */
export async function listIssuersOfFamily(db: Db, tokenId: number): Promise<number[]> {
  const rows = await db.all<{ issuedById: number }>(sql`
    select distinct t.issued_by_id from access_tokens c join access_tokens t
      on t.id = coalesce(c.family_id, c.id) or t.family_id = coalesce(c.family_id, c.id)
    where c.id = ${tokenId} and t.issued_by_id is not null order by t.issued_by_id`)
  return rows.map(({ issuedById }) => issuedById)
}

/** Returns the users who issued tokens of this user. */
export async function listIssuersFor(db: Db, userId: number): Promise<number[]> {
  const rows = await db.all<{ issuedById: number }>(sql`
    select distinct issued_by_id from access_tokens
    where user_id = ${userId} and issued_by_id is not null order by issued_by_id`)
  return rows.map(({ issuedById }) => issuedById)
}

/** Revokes a token. Returns false when it was already revoked. */
export async function revokeToken(db: Db, id: number): Promise<boolean> {
  return (await db.run(sql`update access_tokens set is_revoked = true where id = ${id} and not is_revoked`)) === 1
}

/** Revokes a token and all tokens that descend from it by rotation. */
export async function revokeTokenFamily(db: Db, familyId: number): Promise<void> {
  await db.run(sql`
    update access_tokens set is_revoked = true where (id = ${familyId} or family_id = ${familyId}) and not is_revoked`)
}

export async function revokePersonalTokensOf(db: Db, userId: number): Promise<void> {
  await db.run(sql`
    update access_tokens set is_revoked = true where user_id = ${userId} and kind = 'personal' and not is_revoked`)
}

export async function noteTokenUse(db: Db, tokenId: number, at: string): Promise<void> {
  // Inserts from a select, so that a token that was deleted concurrently causes no foreign key error.
  await db.run(sql`
    insert into token_uses (token_id, last_used_at) select id, ${at} from access_tokens where id = ${tokenId}
    on conflict (token_id) do update set last_used_at = excluded.last_used_at`)
}

/** Records the address that a token was used from, and keeps only the most recent ones. */
export async function noteTokenAddress(
  db: Db,
  { tokenId, address, at, max }: { tokenId: number; address: string; at: string; max: number },
): Promise<void> {
  const changed = await db.run(sql`
    insert into token_addresses (token_id, address, last_used_at)
    select id, ${address}, ${at} from access_tokens where id = ${tokenId}
    on conflict (token_id, address) do update set last_used_at = excluded.last_used_at`)
  if (changed === 0) return
  await db.run(sql`
    delete from token_addresses where token_id = ${tokenId} and address not in (
      select address from token_addresses where token_id = ${tokenId}
      order by last_used_at desc, address limit ${max})`)
}

/** Returns, by token id, the addresses that each token was used from, latest first. */
export async function listTokenAddresses(db: Db, tokenIds: readonly number[]): Promise<Map<number, string[]>> {
  const rows = await db.all<{ tokenId: number; address: string }>(sql`
    select token_id, address from token_addresses where token_id in ${db.dialect.integers(tokenIds)}
    order by token_id, last_used_at desc, address`)
  const found = new Map<number, string[]>()
  for (const { tokenId: id, address } of rows) found.set(id, [...(found.get(id) ?? []), address])
  return found
}

const orders: Record<TokenOrder, Sql> = {
  created_asc: sql`t.created_at, t.id`,
  created_desc: sql`t.created_at desc, t.id desc`,
  expires_asc: sql`t.expires_on nulls last, t.id desc`,
  expires_desc: sql`t.expires_on desc nulls last, t.id desc`,
  last_used_asc: sql`u.last_used_at nulls last, t.id desc`,
  last_used_desc: sql`u.last_used_at desc nulls last, t.id desc`,
  name_asc: sql`lower(t.name), t.id`,
  name_desc: sql`lower(t.name) desc, t.id desc`,
}

function conditions(db: Db, filter: TokenFilter, today: string): Sql {
  const isOver = sql`(t.is_revoked or (t.expires_on is not null and t.expires_on <= ${today}))`
  const all: Sql[] = [sql`t.kind = ${filter.kind}`]
  if (filter.userId !== undefined) all.push(sql`t.user_id = ${filter.userId}`)
  if (filter.owner) {
    const { projectId, namespaceId } = filter.owner
    all.push(sql`t.user_id in
      (select b.user_id from bots b where b.project_id = ${projectId} or b.namespace_id = ${namespaceId})`)
  }
  if (filter.isRevoked !== undefined) all.push(sql`t.is_revoked = ${filter.isRevoked}`)
  if (filter.state !== undefined) all.push(filter.state === 'active' ? sql`not ${isOver}` : isOver)
  if (filter.search) all.push(db.dialect.contains(sql`t.name`, filter.search))
  if (filter.createdAfter !== undefined) all.push(sql`t.created_at >= ${filter.createdAfter}`)
  if (filter.createdBefore !== undefined) all.push(sql`t.created_at <= ${filter.createdBefore}`)
  if (filter.lastUsedAfter !== undefined) all.push(sql`u.last_used_at >= ${filter.lastUsedAfter}`)
  if (filter.lastUsedBefore !== undefined) all.push(sql`u.last_used_at <= ${filter.lastUsedBefore}`)
  if (filter.expiresAfter !== undefined) all.push(sql`t.expires_on >= ${filter.expiresAfter}`)
  if (filter.expiresBefore !== undefined) all.push(sql`t.expires_on <= ${filter.expiresBefore}`)
  return join(all, ' and ')
}
