import sql, { type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import type { UploadOwner } from '../owner.ts'
import type { ResumableUpload, UploadPart } from './resumable-upload.ts'

type Owner = Pick<UploadOwner, 'kind' | 'id'>

const owned = ({ kind, id }: Owner): Sql => (kind === 'project' ? sql`project_id = ${id}` : sql`namespace_id = ${id}`)

export async function insertResumable(
  db: Db,
  { owner, userId, uploadKey, filename, totalBytes, createdAt, expiresAt }: Omit<ResumableUpload, 'id'>,
  isFromOutsider: boolean,
): Promise<number> {
  const row = await db.one<{ id: number }>(sql`
    insert into resumable_uploads (project_id, namespace_id, user_id, upload_key, filename, total_bytes, created_at,
      expires_at, is_from_outsider)
    values (${owner.kind === 'project' ? owner.id : null}, ${owner.kind === 'group' ? owner.id : null}, ${userId},
      ${uploadKey}, ${filename}, ${totalBytes}, ${createdAt}, ${expiresAt}, ${isFromOutsider})
    returning id`)
  if (!row) throw new Error('an inserted upload returned no id')
  return row.id
}

/** Returns an upload of this user that has not expired. */
export async function findResumable(
  db: Db,
  owner: Owner,
  { uploadKey, userId, now }: { uploadKey: string; userId: number; now: string },
): Promise<ResumableUpload | undefined> {
  return db.one(sql`
    select id, case when project_id is null then 'group' else 'project' end as "owner.kind",
      coalesce(project_id, namespace_id) as "owner.id", user_id, upload_key, filename, total_bytes, received_bytes,
      created_at, expires_at, upload_id
    from resumable_uploads
    where ${owned(owner)} and upload_key = ${uploadKey} and user_id = ${userId} and expires_at > ${now}`)
}

export async function countUnfinished(db: Db, userId: number, now: string): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from resumable_uploads
    where user_id = ${userId} and upload_id is null and expires_at > ${now}`)
  return row?.total ?? 0
}

/** Adds received bytes. Returns false when another request has added some since, or the upload no longer exists. */
export async function addReceived(
  db: Db,
  id: number,
  { from, bytes, expiresAt }: { from: number; bytes: number; expiresAt: string },
): Promise<boolean> {
  const changed = await db.run(sql`
    update resumable_uploads set received_bytes = received_bytes + ${bytes}, expires_at = ${expiresAt}
    where id = ${id} and received_bytes = ${from} and upload_id is null`)
  return changed === 1
}

export async function insertPart(db: Db, id: number, part: UploadPart): Promise<void> {
  await db.run(sql`
    insert into resumable_parts (resumable_id, start_byte, bytes, sha256, object_key)
    values (${id}, ${part.startByte}, ${part.bytes}, ${part.sha256}, ${part.objectKey})`)
}

/** Returns the stored parts in order. */
export async function listParts(db: Db, id: number): Promise<UploadPart[]> {
  return db.all(sql`
    select start_byte, bytes, sha256, object_key from resumable_parts where resumable_id = ${id} order by start_byte`)
}

/** Connects the finished upload and deletes the parts. Returns the keys of their objects. */
export async function finishResumable(db: Db, id: number, uploadId: number): Promise<string[]> {
  await db.run(sql`update resumable_uploads set upload_id = ${uploadId} where id = ${id}`)
  const rows = await db.all<{ objectKey: string }>(sql`
    delete from resumable_parts where resumable_id = ${id} returning object_key`)
  return rows.map(({ objectKey }) => objectKey)
}

/** Deletes an unfinished upload. Returns the keys of its objects, or `undefined` when it is finished or gone. */
export async function deleteResumable(db: Db, id: number): Promise<string[] | undefined> {
  const found = await db.one(sql`select id from resumable_uploads where id = ${id} ${db.dialect.forUpdate}`)
  if (!found) return undefined
  const parts = await db.all<{ objectKey: string }>(sql`
    delete from resumable_parts where resumable_id = ${id} returning object_key`)
  await db.run(sql`delete from resumable_uploads where id = ${id}`)
  return parts.map(({ objectKey }) => objectKey)
}

export async function listExpired(db: Db, now: string, limit: number): Promise<{ id: number }[]> {
  return db.all(sql`select id from resumable_uploads where expires_at <= ${now} order by expires_at, id limit ${limit}`)
}
