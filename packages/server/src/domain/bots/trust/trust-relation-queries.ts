import sql, { type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import type { BotOwner } from '../bot.ts'
import type { TrustRelation, TrustRelationDraft } from './trust-relation.ts'

const columns = sql`r.id, r.user_id, b.project_id, b.namespace_id, m.access_level, r.name, r.issuer, r.audience, r.claims,
  r.default_branch_claims, r.scopes, r.jwks_url, r.jwks, r.created_at, r.updated_at`
const relations = sql`trust_relations r join bots b on b.user_id = r.user_id
  join members m on m.user_id = b.user_id and (m.project_id = b.project_id or m.namespace_id = b.namespace_id)`

const ownedBy = ({ projectId, namespaceId }: BotOwner): Sql =>
  sql`(b.project_id = ${projectId} or b.namespace_id = ${namespaceId})`

/** Returns one row more than the page holds. */
export async function listTrustRelations(
  db: Db,
  owner: BotOwner,
  { offset, perPage }: { offset: number; perPage: number },
): Promise<TrustRelation[]> {
  return db.all(sql`
    select ${columns} from ${relations} where ${ownedBy(owner)} order by r.id limit ${perPage + 1} offset ${offset}`)
}

export async function countTrustRelations(db: Db, owner: BotOwner): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from trust_relations r join bots b on b.user_id = r.user_id where ${ownedBy(owner)}`)
  return row?.total ?? 0
}

export async function findTrustRelation(db: Db, owner: BotOwner, id: number): Promise<TrustRelation | undefined> {
  return db.one(sql`select ${columns} from ${relations} where r.id = ${id} and ${ownedBy(owner)}`)
}

export async function listTrustRelationsOf(db: Db, issuer: string): Promise<TrustRelation[]> {
  return db.all(sql`select ${columns} from ${relations} where r.issuer = ${issuer} order by r.id`)
}

/** Returns the id of the new relation. */
export async function insertTrustRelation(
  db: Db,
  userId: number,
  draft: TrustRelationDraft,
  now: string,
): Promise<number> {
  const row = await db.one<{ id: number }>(sql`
    insert into trust_relations (user_id, name, issuer, audience, claims, default_branch_claims, scopes, jwks_url, jwks,
      created_at, updated_at)
    values (${userId}, ${draft.name}, ${draft.issuer}, ${draft.audience}, ${draft.claims},
      ${draft.defaultBranchClaims}, ${JSON.stringify(draft.scopes)}, ${draft.jwksUrl}, ${draft.jwks}, ${now}, ${now})
    returning id`)
  if (!row) throw new Error('an inserted trust relation did not come back')
  return row.id
}

/** Updates a relation. Returns false when it does not exist. */
export async function updateTrustRelation(
  db: Db,
  id: number,
  draft: TrustRelationDraft,
  now: string,
): Promise<boolean> {
  const changed = await db.run(sql`
    update trust_relations set name = ${draft.name}, issuer = ${draft.issuer}, audience = ${draft.audience},
      claims = ${draft.claims}, default_branch_claims = ${draft.defaultBranchClaims},
      scopes = ${JSON.stringify(draft.scopes)}, jwks_url = ${draft.jwksUrl}, jwks = ${draft.jwks}, updated_at = ${now}
    where id = ${id}`)
  return changed === 1
}

export async function noteTrustUse(db: Db, relationId: number, at: string): Promise<void> {
  // Inserts from a select, so that a relation that was deleted concurrently causes no foreign key error.
  await db.run(sql`
    insert into trust_relation_uses (relation_id, last_used_at) select id, ${at} from trust_relations where id = ${relationId}
    on conflict (relation_id) do update set last_used_at = excluded.last_used_at`)
}

/** Returns the times of last use by relation id. */
export async function listTrustUses(db: Db, ids: readonly number[]): Promise<Map<number, string>> {
  const rows = await db.all<{ relationId: number; lastUsedAt: string }>(sql`
    select relation_id, last_used_at from trust_relation_uses where relation_id in ${db.dialect.integers(ids)}
    order by relation_id`)
  return new Map(rows.map(({ relationId, lastUsedAt }) => [relationId, lastUsedAt]))
}
