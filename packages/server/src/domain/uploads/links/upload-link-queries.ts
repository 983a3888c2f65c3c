import sql from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import type { Upload } from '../upload.ts'
import type { UploadLink } from './upload-link.ts'

const selected = sql`
  select l.id, l.upload_id, l.name, l.created_at, l.expires_at, l.uses, l.last_used_at,
    users.id as "created_by.id", users.username as "created_by.username", users.name as "created_by.name"
  from upload_links l left join users on users.id = l.created_by_id`

export async function insertLink(
  db: Db,
  { uploadId, name, createdBy, createdAt, expiresAt }: Omit<UploadLink, 'id'>,
  tokenHash: string,
): Promise<number> {
  const row = await db.one<{ id: number }>(sql`
    insert into upload_links (upload_id, created_by_id, token_hash, name, created_at, expires_at)
    values (${uploadId}, ${createdBy?.id}, ${tokenHash}, ${name}, ${createdAt}, ${expiresAt}) returning id`)
  if (!row) throw new Error('an inserted link returned no id')
  return row.id
}

/** Returns the links of an upload that have not expired, newest first. */
export async function listLinks(db: Db, uploadId: number, now: string): Promise<UploadLink[]> {
  return db.all(sql`${selected} where l.upload_id = ${uploadId} and l.expires_at > ${now} order by l.id desc`)
}

export async function countLinks(db: Db, uploadId: number, now: string): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from upload_links where upload_id = ${uploadId} and expires_at > ${now}`)
  return row?.total ?? 0
}

/** Locks the upload while its links are counted. Returns false if the upload is deleted. */
export async function lockUpload(db: Db, uploadId: number): Promise<boolean> {
  const row = await db.one(sql`
    select id from uploads where id = ${uploadId} and deleted_at is null ${db.dialect.forUpdate}`)
  return row !== undefined
}

/** Returns the link with this token and the owner of its upload. */
export async function findLinkByHash(
  db: Db,
  tokenHash: string,
  now: string,
): Promise<{ id: number; uploadId: number; owner: Upload['owner'] } | undefined> {
  return db.one(sql`
    select l.id, l.upload_id, case when u.project_id is null then 'group' else 'project' end as "owner.kind",
      coalesce(u.project_id, u.namespace_id) as "owner.id"
    from upload_links l join uploads u on u.id = l.upload_id
    where l.token_hash = ${tokenHash} and l.expires_at > ${now} and u.deleted_at is null`)
}

export async function addUse(db: Db, id: number, now: string): Promise<void> {
  await db.run(sql`update upload_links set uses = uses + 1, last_used_at = ${now} where id = ${id}`)
}

/** Returns false if the upload has no such link. */
export async function deleteLink(db: Db, uploadId: number, id: number): Promise<boolean> {
  return (await db.run(sql`delete from upload_links where id = ${id} and upload_id = ${uploadId}`)) === 1
}

export async function deleteExpiredLinks(db: Db, now: string): Promise<void> {
  await db.run(sql`delete from upload_links where expires_at <= ${now}`)
}
