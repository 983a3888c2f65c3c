import sql, { empty, type Sql } from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import { roles } from '../access/roles.ts'
import { lineageRange, type Namespace } from '../namespaces/namespace.ts'
import { maxCountedRows, type PageRequest } from '../page.ts'
import { stateIn } from '../users/user-state-sql.ts'
import type { Member, MemberFilter, MemberSource, Membership } from './member.ts'

/** Returns one row more than the page holds. A user with several memberships appears once, with the highest level. */
export async function listMembers(
  db: Db,
  source: MemberSource,
  { filter, today, page }: { filter: MemberFilter; today: string; page: PageRequest },
): Promise<Member[]> {
  return db.all(sql`
    with ${ranked(db, source, today)}
    select m.access_level, m.expires_on, m.created_at, coalesce(m.updated_at, m.created_at) as updated_at,
      u.id as "person.id", u.username as "person.username", u.name as "person.name", ${stateIn('u')} as "person.state", u.avatar_filename as "person.avatar_filename",
      c.id as "created_by.id", c.username as "created_by.username", c.name as "created_by.name",
      ${stateIn('c')} as "created_by.state", c.avatar_filename as "created_by.avatar_filename"
    from ranked join members m on m.id = ranked.id join users u on u.id = m.user_id
      left join users c on c.id = m.created_by_id
    where ranked.place = 1 ${matching(db, filter)}
    order by m.id limit ${page.perPage + 1} offset ${page.offset}`)
}

export async function countMembers(db: Db, source: MemberSource, filter: MemberFilter, today: string): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    with ${ranked(db, source, today)}
    select count(*) as total from (
      select 1 from ranked join members m on m.id = ranked.id join users u on u.id = m.user_id
      where ranked.place = 1 ${matching(db, filter)} limit ${maxCountedRows + 1}
    ) as counted`)
  return row?.total ?? 0
}

/** SQL that ranks the memberships of each user, highest level first. */
function ranked(db: Db, { projectId, namespaceIds }: MemberSource, today: string): Sql {
  return sql`ranked as (
    select id, row_number() over (partition by user_id order by access_level desc, id) as place
    from members
    where (project_id = ${projectId} or namespace_id in ${db.dialect.integers(namespaceIds)})
      and (expires_on is null or expires_on > ${today}))`
}

function matching(db: Db, { search, userIds, exceptUserIds, minAccessLevel }: MemberFilter): Sql {
  return sql`
    ${search ? sql`and (${db.dialect.contains(sql`u.name`, search)} or ${db.dialect.contains(sql`u.username`, search)})` : empty}
    ${userIds ? sql`and u.id in ${db.dialect.integers(userIds)}` : empty}
    ${exceptUserIds ? sql`and u.id not in ${db.dialect.integers(exceptUserIds)}` : empty}
    ${minAccessLevel ? sql`and m.access_level >= ${minAccessLevel}` : empty}`
}

export interface MemberTerms {
  accessLevel: number
  expiresOn: string | null
}

/**
 * Inserts a membership, replacing one that has expired. Returns false when the user is already a member. `place` has
 * exactly one of the two ids.
 */
export async function insertMember(
  db: Db,
  place: { projectId?: number; namespaceId?: number },
  { userId, terms, createdById, now }: { userId: number; terms: MemberTerms; createdById: number | null; now: string },
): Promise<boolean> {
  const conflict = place.projectId === undefined ? sql`(namespace_id, user_id)` : sql`(project_id, user_id)`
  const changed = await db.run(sql`
    insert into members (project_id, namespace_id, user_id, access_level, expires_on, created_by_id, created_at)
    values (${place.projectId}, ${place.namespaceId}, ${userId}, ${terms.accessLevel}, ${terms.expiresOn},
      ${createdById}, ${now})
    on conflict ${conflict} do update set access_level = excluded.access_level, expires_on = excluded.expires_on,
      created_by_id = excluded.created_by_id, created_at = excluded.created_at, updated_at = null
    where members.expires_on <= ${now.slice(0, 10)}`)
  return changed === 1
}

/** Updates a direct membership. Leaves the expiry date unchanged when `expiresOn` is undefined. */
export async function updateMember(
  db: Db,
  source: MemberSource,
  {
    userId,
    terms,
    now,
  }: { userId: number; terms: { accessLevel: number; expiresOn: string | null | undefined }; now: string },
): Promise<void> {
  const { accessLevel, expiresOn } = terms
  await db.run(sql`
    update members set access_level = ${accessLevel}, updated_at = ${now}
      ${expiresOn === undefined ? empty : sql`, expires_on = ${expiresOn}`}
    where user_id = ${userId} and ${isDirect(db, source)}`)
}

export async function deleteMember(db: Db, source: MemberSource, userId: number): Promise<void> {
  await db.run(sql`delete from members where user_id = ${userId} and ${isDirect(db, source)}`)
}

/**
 * Gives the direct memberships of one user to another. Where both are members, the higher role stays, unless it would end
 * sooner than the own membership.
 */
export async function moveMembershipsOf(db: Db, fromId: number, toId: number): Promise<void> {
  await db.run(sql`
    update members set access_level = former.access_level, expires_on = former.expires_on
    from members former
    where members.user_id = ${toId} and former.user_id = ${fromId} and former.access_level > members.access_level
      and (former.expires_on is null or former.expires_on >= members.expires_on)
      and (former.project_id = members.project_id or former.namespace_id = members.namespace_id)`)
  await db.run(sql`
    update members set user_id = ${toId}
    where user_id = ${fromId} and not exists (select 1 from members other where other.user_id = ${toId}
      and (other.project_id = members.project_id or other.namespace_id = members.namespace_id))`)
}

/** Returns memberships that have expired by `today`. */
export async function listExpiredMembers(
  db: Db,
  today: string,
  limit: number,
): Promise<{ userId: number; projectId: number | null; namespaceId: number | null }[]> {
  return db.all(sql`
    select user_id, project_id, namespace_id from members where expires_on <= ${today}
    order by expires_on, id limit ${limit}`)
}

/** Deletes up to `limit` memberships that have expired by `today`. Returns the number deleted. */
export async function deleteExpiredMembers(db: Db, today: string, limit: number): Promise<number> {
  return db.run(sql`
    delete from members where id in (
      select id from members where expires_on <= ${today} order by expires_on, id limit ${limit})`)
}

function isDirect(db: Db, { projectId, namespaceIds }: MemberSource): Sql {
  return sql`(project_id = ${projectId} or namespace_id in ${db.dialect.integers(namespaceIds)})`
}

/** Returns the group in which the user has the highest level; among equal levels, the most deeply nested group. */
export async function findHighestGroup(
  db: Db,
  userId: number,
  namespaceIds: readonly number[],
  today: string,
): Promise<{ level: number; name: string } | undefined> {
  return db.one(sql`
    select m.access_level as level, g.name from members m join namespaces g on g.id = m.namespace_id
    where m.user_id = ${userId} and g.kind = 'group' and g.id in ${db.dialect.integers(namespaceIds)}
      and (m.expires_on is null or m.expires_on > ${today})
    order by m.access_level desc, g.lineage desc, m.id limit 1`)
}

/** Returns true when another active person owns one of the namespaces through a membership without an expiry date. */
export async function hasOtherOwner(db: Db, namespaceIds: readonly number[], userId: number): Promise<boolean> {
  return (await listIdsOwnedByOthers(db, namespaceIds, userId)).length > 0
}

/** Returns the namespaces that another active person owns through a membership without an expiry date. */
export async function listIdsOwnedByOthers(db: Db, namespaceIds: readonly number[], userId: number): Promise<number[]> {
  const rows = await db.all<{ namespaceId: number }>(sql`
    select distinct m.namespace_id from members m join users u on u.id = m.user_id
    where m.namespace_id in ${db.dialect.integers(namespaceIds)} and m.user_id <> ${userId}
      and m.access_level >= ${roles.owner} and m.expires_on is null and u.state = 'active' and not u.is_deactivated
      and not u.is_bot
    order by m.namespace_id`)
  return rows.map((row) => row.namespaceId)
}

/**
 * Returns the user's highest level in the project or any of the namespaces, or 0 without one. `today` is YYYY-MM-DD.
 */
export async function findAccessLevel(
  db: Db,
  userId: number,
  { namespaceIds, projectId, today }: { namespaceIds: readonly number[]; projectId: number | null; today: string },
): Promise<number> {
  const row = await db.one<{ level: number | null }>(sql`
    select max(access_level) as level from members
    where user_id = ${userId}
      and (project_id = ${projectId} or namespace_id in ${db.dialect.integers(namespaceIds)})
      and (expires_on is null or expires_on > ${today})`)
  return row?.level ?? 0
}

/** Returns the user's levels in those of the projects and namespaces that the user is a direct member of. */
export async function listLevels(
  db: Db,
  userId: number,
  {
    projectIds,
    namespaceIds,
    today,
  }: { projectIds: readonly number[]; namespaceIds: readonly number[]; today: string },
): Promise<{ projectId: number | null; namespaceId: number | null; level: number }[]> {
  return db.all(sql`
    select project_id, namespace_id, access_level as level from members
    where user_id = ${userId} and (expires_on is null or expires_on > ${today})
      and (project_id in ${db.dialect.integers(projectIds)} or namespace_id in ${db.dialect.integers(namespaceIds)})
    order by id`)
}

/** Returns the namespaces of the user's direct memberships, and those of projects with the user as a direct member. */
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
