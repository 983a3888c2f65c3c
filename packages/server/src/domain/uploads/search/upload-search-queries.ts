import sql, { empty, type Sql } from 'sql-template-tag'
import type { Db, IdRange } from '../../../db/db.ts'
import type { Membership } from '../../members/member.ts'
import { memberNamespaces, memberProjects } from '../../members/membership-sql.ts'
import type { FoundUpload } from './found-upload.ts'

/** Terms that a filename contains, in the projects and groups of a member or, without one, in all. */
export interface UploadSearch {
  terms: readonly string[]
  member: Membership | undefined
}

/** Returns 0 if there are no uploads. */
export async function findNewestUploadId(db: Db): Promise<number> {
  const row = await db.one<{ id: number | null }>(sql`select max(id) as id from uploads`)
  return row?.id ?? 0
}

/** Returns the ids of uploads in a range, newest first. */
export async function searchUploads(
  db: Db,
  { terms, member }: UploadSearch,
  range: IdRange,
  limit: number,
): Promise<number[]> {
  const rows = await db.all<{ id: number }>(sql`
    select uploads.id from uploads
    where uploads.deleted_at is null and ${db.dialect.containsTerms('uploads', ['filename'], terms, range)}
      ${member ? sql`and ${isOfMember(member)}` : empty}
    order by uploads.id desc limit ${limit}`)
  return rows.map(({ id }) => id)
}

/** Returns uploads with their owners, newest first. */
export function listFoundUploads(db: Db, ids: readonly number[]): Promise<FoundUpload[]> {
  return db.all(sql`
    select u.id, u.filename, u.content_type, u.bytes, u.created_at,
      case when u.project_id is null then 'group' else 'project' end as "owner.kind",
      coalesce(p.id, g.id) as "owner.id", coalesce(p.name, g.name) as "owner.name",
      coalesce(p.full_path, g.full_path) as "owner.full_path"
    from uploads u left join projects p on p.id = u.project_id left join namespaces g on g.id = u.namespace_id
    where u.id in ${db.dialect.integers(ids)} order by u.id desc`)
}

const isOfMember = (member: Membership): Sql => sql`(
  uploads.project_id in (
    select direct.project_id from ${memberProjects(member)} as direct
    union all select inherited.id from projects inherited where inherited.namespace_id in ${memberNamespaces(member)})
  or uploads.namespace_id in ${memberNamespaces(member)})`
