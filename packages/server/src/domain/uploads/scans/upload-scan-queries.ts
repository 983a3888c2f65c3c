import sql from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import type { PageRequest } from '../../page.ts'
import type { Upload } from '../upload.ts'
import type { UploadScan } from './upload-scan.ts'

export interface ScannedFile {
  id: number
  owner: Upload['owner']
  objectKey: string
  bytes: number
  sha256: string
  state: UploadScan['state']
}

const scanned = sql`
  select u.id, case when u.project_id is null then 'group' else 'project' end as "owner.kind",
    coalesce(u.project_id, u.namespace_id) as "owner.id", u.object_key, u.bytes, u.sha256, u.scan_state as state
  from uploads u`

export async function findScannedFile(db: Db, id: number): Promise<ScannedFile | undefined> {
  return db.one(sql`${scanned} where u.id = ${id}`)
}

/** Returns uploads without a scan by id, of those that were not deleted. */
export async function listUnscanned(db: Db, afterId: number, limit: number): Promise<ScannedFile[]> {
  return db.all(sql`
    ${scanned} where u.id > ${afterId} and u.scan_state = 'not_scanned' and u.deleted_at is null
    order by u.id limit ${limit}`)
}

/** Stores a result. Returns false when the upload has one already or does not exist. */
export async function updateScan(db: Db, id: number, { state, signature, at }: UploadScan): Promise<boolean> {
  const changed = await db.run(sql`
    update uploads set scan_state = ${state}, scan_signature = ${signature}, scanned_at = ${at}
    where id = ${id} and scan_state in ('pending', 'not_scanned')`)
  return changed === 1
}

/** Returns false when the upload is not quarantined. */
export async function releaseInfected(db: Db, id: number): Promise<boolean> {
  const changed = await db.run(sql`
    update uploads set scan_state = 'released' where id = ${id} and scan_state = 'infected' and deleted_at is null`)
  return changed === 1
}

/** Quarantined upload. */
export interface InfectedUpload {
  id: number
  owner: Upload['owner'] & { fullPath: string }
  filename: string
  bytes: number
  sha256: string
  createdAt: string
  uploadedBy: Upload['uploadedBy']
  signature: string
  scannedAt: string
}

/** Returns quarantined uploads, newest result first, one row more than the page holds. */
export async function listInfected(db: Db, { perPage, offset }: PageRequest): Promise<InfectedUpload[]> {
  return db.all(sql`
    select u.id, case when u.project_id is null then 'group' else 'project' end as "owner.kind",
      coalesce(u.project_id, u.namespace_id) as "owner.id", coalesce(p.full_path, n.full_path) as "owner.full_path",
      u.filename, u.bytes, u.sha256, u.created_at, u.scan_signature as signature, u.scanned_at,
      users.id as "uploaded_by.id", users.username as "uploaded_by.username", users.name as "uploaded_by.name"
    from uploads u
      left join projects p on p.id = u.project_id
      left join namespaces n on n.id = u.namespace_id
      left join users on users.id = u.uploaded_by_id
    where u.scan_state = 'infected' and u.deleted_at is null
    order by u.scanned_at desc, u.id desc limit ${perPage + 1} offset ${offset}`)
}

export async function countInfected(db: Db): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from uploads where scan_state = 'infected' and deleted_at is null`)
  return row?.total ?? 0
}

export async function countPending(db: Db): Promise<number> {
  const row = await db.one<{ total: number }>(sql`select count(*) as total from uploads where scan_state = 'pending'`)
  return row?.total ?? 0
}
