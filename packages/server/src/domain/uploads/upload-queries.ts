import sql, { empty, type Sql } from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import { selectListeningHooks } from '../hooks/listening-sql.ts'
import { maxCountedRows, type PageRequest } from '../page.ts'
import type { UploadFilter } from './filter.ts'
import type { Upload } from './upload.ts'

type Owner = Upload['owner']

const selected: Sql = sql`
  select u.id, case when u.project_id is null then 'group' else 'project' end as "owner.kind",
    coalesce(u.project_id, u.namespace_id) as "owner.id", u.secret, u.filename, u.content_type, u.bytes, u.sha256, u.object_key,
    u.created_at, u.deleted_at,
    u.scan_state as "scan.state", u.scan_signature as "scan.signature", u.scanned_at as "scan.at",
    users.id as "uploaded_by.id", users.username as "uploaded_by.username", users.name as "uploaded_by.name"
  from uploads u left join users on users.id = u.uploaded_by_id`

function owned({ kind, id }: Owner): Sql {
  return kind === 'project' ? sql`u.project_id = ${id}` : sql`u.namespace_id = ${id}`
}

/** Locks the owner before its usage changes, in the order of locks in which an owner is deleted: no deadlocks. */
export async function lockOwner(db: Db, { kind, id }: Upload['owner']): Promise<void> {
  const table = kind === 'project' ? sql`projects` : sql`namespaces`
  await db.one(sql`select id from ${table} where id = ${id} ${db.dialect.forKeyShare}`)
}

/** Inserts an upload. `hasListeners` is true when a webhook receives it. */
export async function insertUpload(
  db: Db,
  upload: Omit<Upload, 'id'>,
  isFromOutsider: boolean,
): Promise<{ upload: Upload; hasListeners: boolean }> {
  const { owner } = upload
  const listeners = selectListeningHooks(sql`1`, owner, 'upload')
  const row = await db.one<{ id: number; hasListeners: boolean | number }>(sql`
    insert into uploads (project_id, namespace_id, uploaded_by_id, secret, filename, content_type, bytes, sha256,
      object_key, is_from_outsider, created_at, scan_state)
    values (${owner.kind === 'project' ? owner.id : null}, ${owner.kind === 'group' ? owner.id : null},
      ${upload.uploadedBy?.id}, ${upload.secret}, ${upload.filename}, ${upload.contentType}, ${upload.bytes},
      ${upload.sha256}, ${upload.objectKey}, ${isFromOutsider}, ${upload.createdAt},
      ${upload.scan.state})
    returning id, exists (${listeners}) as has_listeners`)
  if (!row) throw new Error('an inserted upload returned no id')
  return { upload: { ...upload, id: row.id }, hasListeners: Boolean(row.hasListeners) }
}

/** Begins the period in which texts must refer to an upload that was created elsewhere. */
export async function beginReferences(db: Db, id: number, now: string): Promise<void> {
  await db.run(sql`update uploads set reference_ended_at = ${now} where id = ${id}`)
}

/** Returns the number of bytes uploaded by users who were not members at the time. */
export async function sumFromOutsiders(db: Db, owner: Owner): Promise<number> {
  const row = await db.one<{ bytes: number }>(sql`
    select cast(coalesce(sum(u.bytes), 0) as bigint) as bytes from uploads u
    where ${owned(owner)} and u.is_from_outsider = true and u.deleted_at is null`)
  return row?.bytes ?? 0
}

/** Returns one row more than the page holds. */
export async function listUploads(
  db: Db,
  owner: Owner,
  filter: UploadFilter,
  { perPage, offset }: PageRequest,
): Promise<Upload[]> {
  const direction = filter.sort === 'asc' ? sql`asc` : sql`desc`
  return db.all(sql`
    ${selected} where ${matches(db, owner, filter)}
    order by ${orders[filter.orderBy]} ${direction}, u.id ${direction}
    limit ${perPage + 1} offset ${offset}`)
}

const orders = { created_at: sql`u.created_at`, size: sql`u.bytes`, filename: sql`u.filename` }

/** Counts matching uploads, up to one above the maximum total of lists. */
export async function countUploads(db: Db, owner: Owner, filter: UploadFilter): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from (
      select 1 from uploads u where ${matches(db, owner, filter)} limit ${maxCountedRows + 1}
    ) as counted`)
  return row?.total ?? 0
}

function matches(db: Db, owner: Owner, filter: UploadFilter): Sql {
  const { search, contentType, ids, uploadedById, createdAfter, createdBefore } = filter
  // `+` keeps the engine from reading all uploads of the owner.
  const ofOwner = ids ? sql`+${owned(owner)}` : owned(owner)
  return sql`${ofOwner} and u.deleted_at is ${filter.deleted ? sql`not null` : sql`null`}
    ${search ? sql`and ${db.dialect.contains(sql`u.filename`, search)}` : empty}
    ${contentType === undefined ? empty : sql`and ${isOfType(contentType)}`}
    ${ids ? sql`and u.id in ${db.dialect.integers(ids)}` : empty}
    ${uploadedById === undefined ? empty : sql`and u.uploaded_by_id = ${uploadedById}`}
    ${createdAfter === undefined ? empty : sql`and u.created_at > ${createdAfter}`}
    ${createdBefore === undefined ? empty : sql`and u.created_at < ${createdBefore}`}`
}

function isOfType(contentType: string): Sql {
  if (!contentType.endsWith('/*')) return sql`u.content_type = ${contentType}`
  const kind = contentType.slice(0, -1)
  return sql`substr(u.content_type, 1, ${kind.length}) = ${kind}`
}

/** Returns an upload, including a deleted one within the grace period. */
export async function findUpload(db: Db, owner: Owner, id: number): Promise<Upload | undefined> {
  return db.one(sql`${selected} where ${owned(owner)} and u.id = ${id}`)
}

export async function findUploadBySecret(
  db: Db,
  owner: Owner,
  secret: string,
  filename: string,
): Promise<Upload | undefined> {
  return db.one(sql`
    ${selected} where ${owned(owner)} and u.secret = ${secret} and u.filename = ${filename}`)
}

/** Marks an upload as deleted. Returns false when another request was first. */
export async function hideUpload(db: Db, id: number, deletedById: number | null, now: string): Promise<boolean> {
  const changed = await db.run(sql`
    update uploads set deleted_at = ${now}, deleted_by_id = ${deletedById} where id = ${id} and deleted_at is null`)
  return changed === 1
}

/**
 * Restores a deleted upload, whose period without references begins anew. Returns false when it is not deleted or its row
 * no longer exists.
 */
export async function showUpload(db: Db, id: number, now: string): Promise<boolean> {
  const changed = await db.run(sql`
    update uploads set deleted_at = null, deleted_by_id = null, reference_ended_at = ${now}
    where id = ${id} and deleted_at is not null`)
  return changed === 1
}

/**
 * Deletes the rows of uploads that were deleted before the given time, oldest first. Returns the keys of their objects.
 */
export async function takeExpiredUploads(db: Db, before: string, limit: number): Promise<string[]> {
  const rows = await db.all<{ objectKey: string }>(sql`
    delete from uploads where id in (
      select id from uploads where deleted_at < ${before} order by deleted_at, id limit ${limit} ${db.dialect.forUpdate})
    returning object_key`)
  return rows.map((row) => row.objectKey)
}

/** Returns the objects of uploads to these projects and groups, and of the parts of unfinished ones. */
export async function listObjectKeys(
  db: Db,
  projectIds: readonly number[],
  namespaceIds: readonly number[],
): Promise<string[]> {
  const rows = await db.all<{ objectKey: string }>(sql`
    select object_key from uploads where project_id in ${db.dialect.integers(projectIds)}
    union all
    select object_key from uploads where namespace_id in ${db.dialect.integers(namespaceIds)}
    union all
    select p.object_key from resumable_parts p join resumable_uploads r on r.id = p.resumable_id
    where r.project_id in ${db.dialect.integers(projectIds)}
      or r.namespace_id in ${db.dialect.integers(namespaceIds)}`)
  return rows.map((row) => row.objectKey)
}

export async function deleteUploads(db: Db, ids: readonly number[]): Promise<void> {
  await db.run(sql`delete from uploads where id in ${db.dialect.integers(ids)}`)
}
