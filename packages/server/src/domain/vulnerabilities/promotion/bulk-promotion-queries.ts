import sql from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import type { PromotionBatch } from './promotion-batches.ts'

/** A bulk promotion that is too large for one transaction. */
export interface StoredPromotion {
  id: number
  projectId: number
  /** Null if the account has been deleted. */
  userId: number | null
  asAdmin: boolean
  state: 'running' | 'done' | 'failed'
  total: number
  promoted: number
  /** Number of findings that already had a vulnerability. */
  unchanged: number
  createdAt: string
  finishedAt: string | null
  /** Reason of a failure. */
  error: string | null
}

interface PromotionDraft {
  projectId: number
  userId: number
  asAdmin: boolean
  total: number
  now: string
}

export async function insertPromotion(
  db: Db,
  { projectId, userId, asAdmin, total, now }: PromotionDraft,
): Promise<number> {
  const row = await db.one<{ id: number }>(sql`
    insert into finding_promotions (project_id, user_id, as_admin, state, total, promoted, unchanged, created_at)
    values (${projectId}, ${userId}, ${asAdmin}, 'running', ${total}, 0, 0, ${now}) returning id`)
  if (!row) throw new Error('an inserted promotion returned no row')
  return row.id
}

export async function insertBatches(db: Db, promotionId: number, slices: readonly PromotionBatch[]): Promise<void> {
  await db.run(sql`
    insert into finding_promotion_batches (promotion_id, position, finding_ids)
    select ${promotionId}, r.position, r.finding_ids
    from ${db.dialect.records(slices, { position: 'integer', findingIds: 'json' })} as r`)
}

export async function findPromotion(db: Db, id: number): Promise<StoredPromotion | undefined> {
  return db.one(sql`
    select id, project_id, user_id, as_admin, state, total, promoted, unchanged, created_at, finished_at, error
    from finding_promotions where id = ${id}`)
}

/** Locks a running promotion until the transaction ends; returns `undefined` if it is not running. */
export async function lockPromotion(db: Db, id: number): Promise<StoredPromotion | undefined> {
  return db.one(sql`
    select id, project_id, user_id, as_admin, state, total, promoted, unchanged, created_at, finished_at, error
    from finding_promotions where id = ${id} and state = 'running' ${db.dialect.forUpdate}`)
}

/** Removes and returns the next batch; `undefined` when none is left. */
export async function takeBatch(db: Db, promotionId: number): Promise<readonly number[] | undefined> {
  const row = await db.one<{ findingIds: readonly number[] }>(sql`
    delete from finding_promotion_batches
    where promotion_id = ${promotionId}
      and position = (select min(position) from finding_promotion_batches where promotion_id = ${promotionId})
    returning finding_ids`)
  return row?.findingIds
}

export async function deleteBatches(db: Db, promotionId: number): Promise<void> {
  await db.run(sql`delete from finding_promotion_batches where promotion_id = ${promotionId}`)
}

export async function addToPromotion(
  db: Db,
  id: number,
  { promoted, unchanged }: { promoted: number; unchanged: number },
): Promise<void> {
  await db.run(sql`
    update finding_promotions set promoted = promoted + ${promoted}, unchanged = unchanged + ${unchanged}
    where id = ${id}`)
}

/** Ends a running promotion; with an error, it has failed. */
export async function endPromotion(db: Db, id: number, { error, now }: { error?: string; now: string }): Promise<void> {
  await db.run(sql`
    update finding_promotions set state = ${error === undefined ? 'done' : 'failed'}, error = ${error}, finished_at = ${now}
    where id = ${id} and state = 'running'`)
}

/** Returns the ids of the user's running promotions. */
export async function listRunningPromotions(db: Db, userId: number): Promise<number[]> {
  const rows = await db.all<{ id: number }>(sql`
    select id from finding_promotions where user_id = ${userId} and state = 'running' order by id`)
  return rows.map(({ id }) => id)
}

export async function deleteOldPromotions(db: Db, before: string): Promise<void> {
  await db.run(sql`delete from finding_promotions where finished_at <= ${before}`)
}
