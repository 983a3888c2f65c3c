import sql, { type Sql } from 'sql-template-tag'
import type { Membership } from './member.ts'

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
