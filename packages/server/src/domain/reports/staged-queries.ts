import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import type { FindingDraft } from './finding-queries.ts'

/** What an import says of findings that are known, kept until it is known to be whole. */
export async function stageFindings(db: Db, importId: number, drafts: readonly FindingDraft[]): Promise<void> {
  if (drafts.length === 0) return
  const rows = drafts.map((draft) => ({ uuid: draft.row.uuid, draft }))
  await db.run(sql`
    insert into staged_findings (import_id, uuid, draft)
    select ${importId}, r.uuid, r.draft from ${db.dialect.records(rows, { uuid: 'text', draft: 'json' })} as r
    where true on conflict (import_id, uuid) do update set draft = excluded.draft`)
}

export async function listStaged(
  db: Db,
  importId: number,
  uuids: readonly string[],
): Promise<Map<string, FindingDraft>> {
  const rows = await db.all<{ uuid: string; draft: FindingDraft }>(sql`
    select uuid, draft from staged_findings
    where import_id = ${importId} and uuid in ${db.dialect.texts(uuids)} order by uuid`)
  return new Map(rows.map(({ uuid, draft }) => [uuid, draft]))
}

/** What the drafts after a uuid name; so many drafts at a time. */
export async function listStagedIdentifiers(
  db: Db,
  importId: number,
  after: string,
  limit: number,
): Promise<{ uuid: string; identifierIds: readonly number[] }[]> {
  const rows = await db.all<{ uuid: string; draft: FindingDraft }>(sql`
    select uuid, draft from staged_findings where import_id = ${importId} and uuid > ${after}
    order by uuid limit ${limit}`)
  return rows.map(({ uuid, draft: { identifierIds } }) => ({ uuid, identifierIds }))
}

export async function dropStaged(db: Db, importId: number): Promise<void> {
  await db.run(sql`delete from staged_findings where import_id = ${importId}`)
}
