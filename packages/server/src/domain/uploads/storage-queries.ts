import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import type { PageRequest } from '../page.ts'
import type { Usage } from './usage-queries.ts'

/** Storage used by one project or group, without deleted uploads. */
export interface StoredBy extends Usage {
  kind: 'project' | 'group'
  id: number
  fullPath: string
  /** Quota in bytes; null for no quota. */
  quotaBytes: number | null
}

/** Returns owners by usage, largest first, one row more than the page holds. */
export async function listLargestOwners(db: Db, page: PageRequest): Promise<StoredBy[]> {
  return db.all(sql`
    select case when u.project_id is null then 'group' else 'project' end as kind,
      coalesce(u.project_id, u.namespace_id) as id, coalesce(p.full_path, n.full_path) as full_path, u.files, u.bytes,
      p.upload_quota_bytes as quota_bytes
    from upload_usage u
      left join projects p on p.id = u.project_id
      left join namespaces n on n.id = u.namespace_id
    where u.files > 0
    order by u.bytes desc, u.project_id, u.namespace_id
    limit ${page.perPage + 1} offset ${page.offset}`)
}

/** Counts owners, up to `max` + 1. */
export async function countOwners(db: Db, max: number): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from (select 1 from upload_usage where files > 0 limit ${max + 1}) as counted`)
  return row?.total ?? 0
}

export async function sumUsage(db: Db): Promise<Usage> {
  const row = await db.one<Usage>(sql`
    select cast(coalesce(sum(files), 0) as bigint) as files, cast(coalesce(sum(bytes), 0) as bigint) as bytes
    from upload_usage where files > 0`)
  return row ?? nothing
}

/** Returns the size of deleted uploads that can still be restored. */
export async function sumDeleted(db: Db): Promise<Usage> {
  const row = await db.one<Usage>(sql`
    select count(*) as files, cast(coalesce(sum(bytes), 0) as bigint) as bytes
    from uploads where deleted_at is not null`)
  return row ?? nothing
}

const nothing: Usage = { files: 0, bytes: 0 }
