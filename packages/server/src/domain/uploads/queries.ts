import sql, { type Sql } from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import { maxCountedRows, type PageRequest } from '../page.ts'
import type { Upload } from './uploads.ts'

interface UploadRow {
  id: number
  project_id: number
  secret: string
  filename: string
  bytes: number
  sha256: string
  object_key: string
  created_at: string
  uploader_id: number | null
  uploader_username: string | null
  uploader_name: string | null
}

const selected: Sql = sql`
  select u.id, u.project_id, u.secret, u.filename, u.bytes, u.sha256, u.object_key, u.created_at,
    users.id as uploader_id, users.username as uploader_username, users.name as uploader_name
  from uploads u left join users on users.id = u.uploaded_by_id`

export async function insertUpload(db: Db, upload: Omit<Upload, 'id'>): Promise<Upload> {
  const row = await db.one<{ id: number }>(sql`
    insert into uploads (project_id, uploaded_by_id, secret, filename, bytes, sha256, object_key, created_at)
    values (${upload.projectId}, ${upload.uploadedBy?.id}, ${upload.secret}, ${upload.filename}, ${upload.bytes},
      ${upload.sha256}, ${upload.objectKey}, ${upload.createdAt})
    returning id`)
  if (!row) throw new Error('an inserted upload returned no id')
  return { ...upload, id: row.id }
}

/** One more than the page holds. */
export async function newestUploads(db: Db, projectId: number, { perPage, offset }: PageRequest): Promise<Upload[]> {
  const rows = await db.all<UploadRow>(sql`
    ${selected} where u.project_id = ${projectId}
    order by u.created_at desc, u.id desc limit ${perPage + 1} offset ${offset}`)
  return rows.map(uploadFrom)
}

/** Stops one above what is ever shown. */
export async function countUploads(db: Db, projectId: number): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from (
      select 1 from uploads where project_id = ${projectId} limit ${maxCountedRows + 1}
    ) as counted`)
  return row?.total ?? 0
}

export async function findUpload(db: Db, projectId: number, id: number): Promise<Upload | undefined> {
  const row = await db.one<UploadRow>(sql`${selected} where u.project_id = ${projectId} and u.id = ${id}`)
  return row && uploadFrom(row)
}

export async function findUploadBySecret(
  db: Db,
  projectId: number,
  secret: string,
  filename: string,
): Promise<Upload | undefined> {
  const row = await db.one<UploadRow>(sql`
    ${selected} where u.project_id = ${projectId} and u.secret = ${secret} and u.filename = ${filename}`)
  return row && uploadFrom(row)
}

/** False when another request was faster. */
export async function deleteUpload(db: Db, id: number): Promise<boolean> {
  return (await db.run(sql`delete from uploads where id = ${id}`)) === 1
}

export async function listObjectKeys(db: Db, projectIds: readonly number[]): Promise<string[]> {
  const rows = await db.all<{ object_key: string }>(sql`
    select object_key from uploads where project_id in ${db.dialect.integers(projectIds)} order by id`)
  return rows.map((row) => row.object_key)
}

function uploadFrom(row: UploadRow): Upload {
  const { uploader_id: id, uploader_username: username, uploader_name: name } = row
  return {
    id: row.id,
    projectId: row.project_id,
    secret: row.secret,
    filename: row.filename,
    bytes: row.bytes,
    sha256: row.sha256,
    objectKey: row.object_key,
    createdAt: row.created_at,
    uploadedBy: id === null || username === null || name === null ? null : { id, username, name },
  }
}
