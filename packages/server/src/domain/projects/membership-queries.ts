import sql, { empty, type Sql } from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import { roles } from '../access/roles.ts'
import { lineageRange, type Namespace } from '../namespaces/namespace.ts'

/** Memberships of a user at this level or above. `today` is YYYY-MM-DD. */
export interface Membership {
  userId: number
  level: number
  today: string
}

/** Subquery of the projects that the user is a direct member of. */
export function memberProjects({ userId, level, today }: Membership): Sql {
  return sql`(select m.project_id from members m
    where m.user_id = ${userId} and m.project_id is not null and m.access_level >= ${level}
      and (m.expires_on is null or m.expires_on > ${today}))`
}

/** Subquery of the namespaces that the user is a member of, directly or by inheritance. */
export function memberNamespaces(member: Membership): Sql {
  return sql`(${selectMemberNamespaces(member)})`
}

/** Query of the namespaces that the user is a member of, directly or by inheritance, for `among`. */
export function selectMemberNamespaces({ userId, level, today }: Membership): Sql {
  return sql`select m.namespace_id from members m
    where m.user_id = ${userId} and m.namespace_id is not null and m.access_level >= ${level}
      and (m.expires_on is null or m.expires_on > ${today})
    union all
    select below.id from members m join namespaces top on top.id = m.namespace_id
      join namespaces below on below.lineage >= top.lineage || top.id || '/' and below.lineage < top.lineage || top.id || '0'
    where m.user_id = ${userId} and m.access_level >= ${level} and (m.expires_on is null or m.expires_on > ${today})`
}

/**
 * Returns the namespaces of the user's direct memberships, and the namespaces of projects with the user as a direct
 * member.
 */
export async function listMembershipRoots(
  db: Db,
  { userId, level, today }: Membership,
): Promise<Pick<Namespace, 'id' | 'lineage'>[]> {
  return db.all(sql`
    select distinct n.id, n.lineage from members m left join projects p on p.id = m.project_id
      join namespaces n on n.id = coalesce(m.namespace_id, p.namespace_id)
    where m.user_id = ${userId} and m.access_level >= ${level} and (m.expires_on is null or m.expires_on > ${today})
    order by n.id`)
}

/** Returns true when the user is a member of the namespace, of a project in it, or of anything below it. */
export async function isMemberBelow(
  db: Db,
  namespace: Pick<Namespace, 'id' | 'lineage'>,
  userId: number,
  today: string,
): Promise<boolean> {
  const [from, to] = lineageRange(namespace)
  const row = await db.one(sql`
    select 1 as found from members m left join projects p on p.id = m.project_id
      join namespaces n on n.id = coalesce(m.namespace_id, p.namespace_id)
    where m.user_id = ${userId} and m.access_level >= ${roles.guest}
      and (m.expires_on is null or m.expires_on > ${today})
      and (n.id = ${namespace.id} or (n.lineage >= ${from} and n.lineage < ${to}))
    limit 1`)
  return row !== undefined
}

/** Returns the projects in the namespace and below it; with `member`, only those that the membership covers. */
export async function listProjectIdsWithin(
  db: Db,
  namespace: Pick<Namespace, 'id' | 'lineage'>,
  member: Membership | undefined,
): Promise<number[]> {
  const [from, to] = lineageRange(namespace)
  const isReached = member
    ? sql`and (p.id in ${memberProjects(member)} or p.namespace_id in ${memberNamespaces(member)})`
    : empty
  const rows = await db.all<{ id: number }>(sql`
    select p.id from projects p
    where p.namespace_id in (
      select id from namespaces where id = ${namespace.id} or (lineage >= ${from} and lineage < ${to})) ${isReached}
    order by p.id`)
  return rows.map(({ id }) => id)
}
