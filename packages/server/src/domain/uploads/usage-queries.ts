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

export async function takeFromUsage(db: Db, owner: Owner, bytes: number): Promise<void> {
  await db.run(sql`
    update upload_usage set files = files - 1, bytes = bytes - ${bytes} where ${columnOf(owner)} = ${owner.id}`)
}
