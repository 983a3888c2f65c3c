import sql from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import type { PromotionSlice } from '../../vulnerabilities/promotion/promotion-batches.ts'
import type { StoredDraft } from './finding-queries.ts'

/** Stages new content of known findings until the whole report has been read. */
export async function stageFindings(db: Db, importId: number, drafts: readonly StoredDraft[]): Promise<void> {
  if (drafts.length === 0) return
  const rows = drafts.map((draft) => ({ uuid: draft.uuid, draft }))
  await db.run(sql`
    insert into staged_findings (import_id, uuid, draft)
    select ${importId}, r.uuid, r.draft from ${db.dialect.records(rows, { uuid: 'text', draft: 'json' })} as r
    where true on conflict (import_id, uuid) do update set draft = excluded.draft`)
}

export async function listStaged(
  db: Db,
  importId: number,
  uuids: readonly string[],
): Promise<Map<string, StoredDraft>> {
  const rows = await db.all<{ uuid: string; draft: StoredDraft }>(sql`
    select uuid, draft from staged_findings
    where import_id = ${importId} and uuid ${db.dialect.among(db.dialect.texts(uuids))} order by uuid`)
  return new Map(rows.map(({ uuid, draft }) => [uuid, draft]))
}

/** Returns the identifiers of up to `limit` staged drafts after a uuid. */
export async function listStagedIdentifiers(
  db: Db,
  importId: number,
  after: string,
  limit: number,
): Promise<{ uuid: string; identifierIds: readonly number[] }[]> {
  const rows = await db.all<{ uuid: string; draft: StoredDraft }>(sql`
    select uuid, draft from staged_findings where import_id = ${importId} and uuid > ${after}
    order by uuid limit ${limit}`)
  return rows.map(({ uuid, draft: { identifierIds } }) => ({ uuid, identifierIds }))
}

export async function dropStaged(db: Db, importId: number): Promise<void> {
  await db.run(sql`delete from staged_findings where import_id = ${importId}`)
}

/** Stages findings to promote, one batch per transaction. */
export async function stagePromotions(db: Db, importId: number, slices: readonly PromotionSlice[]): Promise<void> {
  const rows = slices.map(({ position, findingIds }) => ({ position, finding_ids: findingIds }))
  await db.run(sql`
    insert into staged_promotions (import_id, position, finding_ids)
    select ${importId}, r.position, r.finding_ids
    from ${db.dialect.records(rows, { position: 'integer', finding_ids: 'json' })} as r`)
}

/** Removes and returns the next batch; `undefined` when none is left. */
export async function takePromotion(db: Db, importId: number): Promise<readonly number[] | undefined> {
  const row = await db.one<{ finding_ids: readonly number[] }>(sql`
    delete from staged_promotions
    where import_id = ${importId}
      and position = (select min(position) from staged_promotions where import_id = ${importId})
    returning finding_ids`)
  return row?.finding_ids
}

export async function dropPromotions(db: Db, importId: number): Promise<void> {
  await db.run(sql`delete from staged_promotions where import_id = ${importId}`)
}
