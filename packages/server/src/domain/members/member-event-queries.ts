import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import type { Visibility } from '../access/roles.ts'

/** Direct membership of a project or group as webhooks receive it. */
export interface AnnouncedMember {
  accessLevel: number
  expiresOn: string | null
  createdAt: string
  updatedAt: string | null
  user: { id: number; username: string; name: string }
  project: { id: number; name: string; path: string; fullPath: string; visibility: Visibility } | null
  group: { id: number; name: string; path: string } | null
}

/** Returns a membership of a person; undefined in a user's own namespace, and for bots. */
export async function findAnnouncedMember(
  db: Db,
  { projectId, namespaceId }: { projectId: number | null; namespaceId: number | null },
  userId: number,
): Promise<AnnouncedMember | undefined> {
  return db.one(sql`
    select m.access_level, m.expires_on, m.created_at, m.updated_at,
      u.id as "user.id", u.username as "user.username", u.name as "user.name",
      p.id as "project.id", p.name as "project.name", p.path as "project.path", p.full_path as "project.full_path",
      p.visibility as "project.visibility", g.id as "group.id", g.name as "group.name", g.path as "group.path"
    from members m join users u on u.id = m.user_id
      left join projects p on p.id = m.project_id
      left join namespaces g on g.id = m.namespace_id and g.kind = 'group'
    where m.user_id = ${userId} and not u.is_bot and (p.id is not null or g.id is not null)
      and (m.project_id = ${projectId} or m.namespace_id = ${namespaceId})`)
}
