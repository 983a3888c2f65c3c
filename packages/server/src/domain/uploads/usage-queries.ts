import sql, { type Sql } from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import type { Upload } from './upload.ts'

export interface Usage {
  files: number
  bytes: number
}

type Owner = Upload['owner']

const columnOf = ({ kind }: Owner): Sql => (kind === 'project' ? sql`project_id` : sql`namespace_id`)

export async function findUsage(db: Db, owner: Owner): Promise<Usage> {
  const row = await db.one<Usage>(sql`
    select files, bytes from upload_usage where ${columnOf(owner)} = ${owner.id}`)
  return row ?? { files: 0, bytes: 0 }
}

/** Adds one file to the usage. Returns false, without adding it, when the quota would be exceeded. */
export async function addToUsage(db: Db, owner: Owner, bytes: number, quotaBytes: number | null): Promise<boolean> {
  if (quotaBytes !== null && bytes > quotaBytes) return false
  const column = columnOf(owner)
  const changed = await db.run(sql`
    insert into upload_usage (${column}, files, bytes) values (${owner.id}, 1, ${bytes})
    on conflict (${column}) do update set files = upload_usage.files + 1, bytes = upload_usage.bytes + excluded.bytes
    where ${quotaBytes === null ? sql`1 = 1` : sql`upload_usage.bytes + excluded.bytes <= ${quotaBytes}`}`)
  return changed === 1
}

/** Locks the usage until the transaction ends, so that the room that is left does not change. */
export async function lockUsage(db: Db, owner: Owner): Promise<void> {
  const column = columnOf(owner)
  await db.run(sql`
    insert into upload_usage (${column}, files, bytes) values (${owner.id}, 0, 0)
    on conflict (${column}) do update set files = upload_usage.files`)
}

export interface ReservedBytes {
  all: number
  /** Those of users who were not members. */
  fromOutsiders: number
}

/** Returns the announced sizes of unfinished uploads. All bytes of a finished one are received. */
export async function sumUnfinished(db: Db, owner: Owner, now: string): Promise<ReservedBytes> {
  const row = await db.one<{ total: number; outsiders: number }>(sql`
    select cast(coalesce(sum(total_bytes), 0) as bigint) as total,
      cast(coalesce(sum(case when is_from_outsider then total_bytes end), 0) as bigint) as outsiders
    from resumable_uploads
    where ${columnOf(owner)} = ${owner.id} and received_bytes < total_bytes and expires_at > ${now}`)
  return { all: row?.total ?? 0, fromOutsiders: row?.outsiders ?? 0 }
}

export async function takeFromUsage(db: Db, owner: Owner, bytes: number): Promise<void> {
  await db.run(sql`
    update upload_usage set files = files - 1, bytes = bytes - ${bytes} where ${columnOf(owner)} = ${owner.id}`)
}

/** Returns the owners whose stored usage differs from the sum of their uploads. */
export async function listWrongUsage(db: Db): Promise<{ owner: 'project' | 'group'; id: number }[]> {
  const rows = await db.all<{ projectId: number | null; namespaceId: number | null }>(sql`
    select s.project_id, s.namespace_id from upload_usage s
    left join (${usageByOwner}) as live
      on live.project_id = s.project_id or live.namespace_id = s.namespace_id
    where s.files <> coalesce(live.files, 0) or s.bytes <> coalesce(live.bytes, 0)
    union all
    select live.project_id, live.namespace_id from (${usageByOwner}) as live
    where not exists (
      select 1 from upload_usage s where s.project_id = live.project_id or s.namespace_id = live.namespace_id)`)
  return rows.map(({ projectId, namespaceId }) =>
    projectId === null ? { owner: 'group', id: namespaceId ?? 0 } : { owner: 'project', id: projectId },
  )
}

const usageByOwner = sql`
  select project_id, namespace_id, count(*) as files, sum(bytes) as bytes from uploads
  where deleted_at is null group by project_id, namespace_id`

/** Recomputes the stored usage of all owners. */
export async function recomputeUsage(db: Db): Promise<void> {
  await db.run(sql`delete from upload_usage`)
  await db.run(sql`insert into upload_usage (project_id, namespace_id, files, bytes) ${usageByOwner}`)
}
