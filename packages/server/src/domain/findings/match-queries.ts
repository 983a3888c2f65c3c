import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import type { MatchReason } from './finding-key.ts'
import { idsOfKeys } from './finding-sql.ts'

export interface MatchDraft {
  findingId: number
  uuid: string
  reason: MatchReason
  location: object
}

/** Inserts matches. Must run before the findings are updated, because it stores their old locations. */
export async function insertMatches(
  db: Db,
  { projectId, ref, importId, now }: { projectId: number; ref: string; importId: number; now: string },
  matches: readonly MatchDraft[],
): Promise<void> {
  const columns = { findingId: 'integer', uuid: 'text', reason: 'text', location: 'json' } as const
  await db.run(sql`
    insert into finding_matches (project_id, finding_id, import_id, uuid, reason, ref, old_location, new_location,
      created_at)
    select ${projectId}, r.finding_id, ${importId}, r.uuid, r.reason, ${ref}, f.location, r.location, ${now}
    from ${db.dialect.records(matches, columns)} as r join findings f on f.id = r.finding_id`)
}

/** Deletes the matches of uuids that have findings of their own or are about to be matched again. */
export async function deleteMatches(db: Db, projectId: number, uuids: readonly string[]): Promise<void> {
  await db.run(sql`
    delete from finding_matches where id ${idsOfKeys(db, 'finding_matches', projectId, uuids)}`)
}

export interface StoredMatch {
  id: number
  uuid: string
  reason: MatchReason
  ref: string
  importId: number | null
  oldLocation: object
  newLocation: object
  createdAt: string
}

/** Returns the matches of a finding, newest first. */
export async function listMatches(
  db: Db,
  findingId: number,
  { limit, offset }: { limit: number; offset: number },
): Promise<StoredMatch[]> {
  return db.all(sql`
    select id, uuid, reason, ref, import_id, old_location, new_location, created_at
    from finding_matches where finding_id = ${findingId} order by id desc limit ${limit} offset ${offset}`)
}

export async function findFindingId(db: Db, projectId: number, id: number): Promise<number | undefined> {
  const row = await db.one<{ id: number }>(sql`
    select f.id from findings f where f.id = ${id} and f.project_id = ${projectId}
      and exists (select 1 from occurrences o where o.finding_id = f.id)`)
  return row?.id
}
