import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import type { FindingContent } from './finding-content.ts'

/** Stages new content of known findings until the whole report has been read. */
export async function stageFindings(db: Db, importId: number, contents: readonly FindingContent[]): Promise<void> {
  if (contents.length === 0) return
  const rows = contents.map((content) => ({ uuid: content.uuid, draft: content }))
  await db.run(sql`
    insert into staged_findings (import_id, uuid, draft)
    select ${importId}, r.uuid, r.draft from ${db.dialect.records(rows, { uuid: 'text', draft: 'json' })} as r
    where true on conflict (import_id, uuid) do update set draft = excluded.draft`)
}

export async function listStaged(
  db: Db,
  importId: number,
  uuids: readonly string[],
): Promise<Map<string, FindingContent>> {
  const rows = await db.all<{ uuid: string; draft: FindingContent }>(sql`
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
  const rows = await db.all<{ uuid: string; draft: FindingContent }>(sql`
    select uuid, draft from staged_findings where import_id = ${importId} and uuid > ${after}
    order by uuid limit ${limit}`)
  return rows.map(({ uuid, draft: { identifierIds } }) => ({ uuid, identifierIds }))
}

export async function dropStaged(db: Db, importId: number): Promise<void> {
  await db.run(sql`delete from staged_findings where import_id = ${importId}`)
}
