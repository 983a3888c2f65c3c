import sql, { empty, type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import type { Membership } from '../../members/member.ts'
import { memberNamespaces, memberProjects } from '../../members/membership-sql.ts'
import type { PageRequest } from '../../page.ts'
import type { FoundUpload } from './found-upload.ts'

/** Returns uploads whose filenames contain all terms, newest first, and one more than the page holds. */
export function searchUploads(
  db: Db,
  terms: readonly string[],
  member: Membership | undefined,
  { perPage, offset }: PageRequest,
): Promise<FoundUpload[]> {
  return db.all(sql`
    select found.id, found.filename, found.content_type, found.bytes, found.created_at,
      case when found.project_id is null then 'group' else 'project' end as "owner.kind",
      coalesce(p.id, g.id) as "owner.id", coalesce(p.name, g.name) as "owner.name",
      coalesce(p.full_path, g.full_path) as "owner.full_path"
    from (
      select uploads.* from uploads
      where uploads.deleted_at is null and ${db.dialect.containsTerms('uploads', ['filename'], terms)}
        ${member ? sql`and ${isOfMember(member)}` : empty}
      order by uploads.id desc limit ${perPage + 1} offset ${offset}
    ) found
    left join projects p on p.id = found.project_id left join namespaces g on g.id = found.namespace_id
    order by found.id desc`)
}

const isOfMember = (member: Membership): Sql => sql`(
  uploads.project_id in (
    select direct.project_id from ${memberProjects(member)} as direct
    union all select inherited.id from projects inherited where inherited.namespace_id in ${memberNamespaces(member)})
  or uploads.namespace_id in ${memberNamespaces(member)})`
