import sql from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import type { PromotionBatch } from '../../vulnerabilities/promotion/promotion-batches.ts'

/** Stages findings to promote, one batch per transaction. */
export async function stagePromotions(db: Db, importId: number, slices: readonly PromotionBatch[]): Promise<void> {
  const rows = slices.map(({ position, findingIds }) => ({ position, findingIds }))
  await db.run(sql`
    insert into staged_promotions (import_id, position, finding_ids)
    select ${importId}, r.position, r.finding_ids
    from ${db.dialect.records(rows, { position: 'integer', findingIds: 'json' })} as r`)
}

/** Removes and returns the next batch; `undefined` when none is left. */
export async function takePromotion(db: Db, importId: number): Promise<readonly number[] | undefined> {
  const row = await db.one<{ findingIds: readonly number[] }>(sql`
    delete from staged_promotions
    where import_id = ${importId}
      and position = (select min(position) from staged_promotions where import_id = ${importId})
    returning finding_ids`)
  return row?.findingIds
}

export async function dropPromotions(db: Db, importId: number): Promise<void> {
  await db.run(sql`delete from staged_promotions where import_id = ${importId}`)
}
