import sql, { type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import { countExpired, type ExpiredRows } from '../../../db/expired-rows.ts'

export interface ReferencedUpload {
  id: number
  filename: string
  /** Number of links to the upload in the texts of the source. */
  uses: number
}

/** Returns the id of the source, locked until the end of the transaction. */
export async function upsertSource(db: Db, projectId: number, source: string, now: string): Promise<number> {
  const row = await db.one<{ id: number }>(sql`
    insert into upload_reference_sources (project_id, source, created_at, updated_at)
    values (${projectId}, ${source}, ${now}, ${now})
    on conflict (project_id, source) do update set updated_at = excluded.updated_at
    returning id`)
  if (!row) throw new Error('a stored source returned no id')
  return row.id
}

/** Returns uploads by their secrets, locked so that none is deleted meanwhile because nothing refers to it. */
export async function listByLinks(
  db: Db,
  projectId: number,
  secrets: readonly string[],
): Promise<{ id: number; filename: string; secret: string }[]> {
  return db.all(sql`
    select id, filename, secret from uploads
    where project_id = ${projectId} and secret in ${db.dialect.texts(secrets)} and deleted_at is null
    order by id ${db.dialect.forKeyShare}`)
}

/** Records when the uploads of a source were last referred to, before its references are replaced. */
export async function endReferences(db: Db, sourceId: number, now: string): Promise<void> {
  await db.run(sql`
    update uploads set reference_ended_at = ${now}
    where id in (select upload_id from upload_references where source_id = ${sourceId})`)
}

export async function deleteReferences(db: Db, sourceId: number): Promise<void> {
  await db.run(sql`delete from upload_references where source_id = ${sourceId}`)
}

export async function insertReferences(db: Db, sourceId: number, uploads: readonly ReferencedUpload[]): Promise<void> {
  for (const { id, uses } of uploads) {
    await db.run(sql`insert into upload_references (source_id, upload_id, uses) values (${sourceId}, ${id}, ${uses})`)
  }
}

/** Uploads that have been unreferenced since before the given time, in projects that record references. */
function unreferenced(before: string, now: string): Sql {
  return sql`
    select u.id, u.project_id, coalesce(u.reference_ended_at, u.created_at) as at from uploads u
    join (select project_id, min(created_at) as since from upload_reference_sources group by project_id) as recorded
      on recorded.project_id = u.project_id and recorded.since < ${before}
    where ${unused(before, now)}`
}

function unused(before: string, now: string): Sql {
  return sql`
    u.deleted_at is null and u.created_at < ${before}
      and (u.reference_ended_at is null or u.reference_ended_at < ${before})
      and not exists (select 1 from upload_references r where r.upload_id = u.id)
      and not exists (select 1 from upload_links l where l.upload_id = u.id and l.expires_at > ${now})`
}

/** Returns true while nothing refers to the upload, which must be locked. */
export async function isUnreferenced(
  db: Db,
  id: number,
  { before, now }: { before: string; now: string },
): Promise<boolean> {
  const found = await db.one(sql`select u.id from uploads u where u.id = ${id} and ${unused(before, now)}`)
  return found !== undefined
}

export function countUnreferenced(db: Db, before: string, now: string): Promise<ExpiredRows> {
  return countExpired(db, unreferenced(before, now))
}

export async function listUnreferenced(
  db: Db,
  { before, now, limit }: { before: string; now: string; limit: number },
): Promise<{ id: number; projectId: number }[]> {
  return db.all(sql`select id, project_id from (${unreferenced(before, now)}) as found order by id limit ${limit}`)
}

/** When references of the project were first recorded. */
export async function findFirstRecording(db: Db, projectId: number): Promise<string | undefined> {
  const row = await db.one<{ createdAt: string }>(sql`
    select created_at from upload_reference_sources where project_id = ${projectId} order by created_at limit 1`)
  return row?.createdAt
}

/** Returns how often texts refer to each of the uploads, and when they last did. */
export async function listUses(
  db: Db,
  uploadIds: readonly number[],
): Promise<{ id: number; uses: number; referenceEndedAt: string | null }[]> {
  return db.all(sql`
    select u.id, u.reference_ended_at,
      (select cast(coalesce(sum(r.uses), 0) as bigint) from upload_references r where r.upload_id = u.id) as uses
    from uploads u where u.id in ${db.dialect.integers(uploadIds)}`)
}
