import sql, { type Sql } from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import type { Namespace } from '../../namespaces/namespace.ts'
import type { Merge } from './merge-queries.ts'

/** Returns the later merge whose source was this topic, if there is one. */
export async function findMergeOf(db: Db, topicId: number): Promise<{ id: number; targetName: string } | undefined> {
  return db.one(sql`
    select id, target_name from topic_merges
    where source_id = ${topicId} and undone_at is null order by id desc limit 1`)
}

/** Returns the names and aliases of the source that no longer resolve to the target. */
export async function listLostNames(
  db: Db,
  merge: Merge,
): Promise<{ name: string; topicId: number; topicName: string }[]> {
  return db.all(sql`
    select n.name, n.topic_id, t.name as topic_name from topic_names n join topics t on t.id = n.topic_id
    where n.organization_id = ${merge.organizationId} and n.name_key in (${sourceKeys(merge)})
      and not (n.topic_id = ${merge.target.id} and n.is_alias)
    order by n.name_key`)
}

const sourceKeys = (merge: Merge): Sql => sql`
  select name_key from topic_merge_aliases where merge_id = ${merge.id}
  union all select cast(${merge.source.name.toLowerCase()} as text)`

/** Returns some of the projects covered by the merge that were deleted or no longer have the target. */
export async function listLostProjects(
  db: Db,
  merge: Merge,
  targetIsThere: boolean,
  limit: number,
): Promise<{ id: number; isGone: boolean }[]> {
  const rows = await db.all<{ id: number; foundId: number | null }>(sql`
    select m.project_id as id, p.id as found_id from topic_merge_projects m
    left join projects p on p.id = m.project_id
    where m.merge_id = ${merge.id} and (p.id is null ${targetIsThere ? sql`or not ${carriesTarget(merge)}` : sql``})
    order by m.project_id limit ${limit}`)
  return rows.map((row) => ({ id: row.id, isGone: row.foundId === null }))
}

const carriesTarget = (merge: Merge): Sql => sql`exists (
  select 1 from project_topics a where a.project_id = m.project_id and a.topic_id = ${merge.target.id} and a.own)`

const groupHasTarget = (merge: Merge): Sql => sql`exists (
  select 1 from group_topics a where a.group_id = m.group_id and a.topic_id = ${merge.target.id})`

/** Returns some of the groups covered by the merge that were deleted or no longer have the target. */
export async function listLostGroups(
  db: Db,
  merge: Merge,
  targetIsThere: boolean,
  limit: number,
): Promise<{ id: number; isGone: boolean }[]> {
  const rows = await db.all<{ id: number; foundId: number | null }>(sql`
    select m.group_id as id, n.id as found_id from topic_merge_groups m left join namespaces n on n.id = m.group_id
    where m.merge_id = ${merge.id} and (n.id is null ${targetIsThere ? sql`or not ${groupHasTarget(merge)}` : sql``})
    order by m.group_id limit ${limit}`)
  return rows.map((row) => ({ id: row.id, isGone: row.foundId === null }))
}

/** Inserts the source with its former id, without projects. */
export async function restoreTopic(db: Db, { organizationId, source }: Merge): Promise<void> {
  const { avatar } = source
  await db.run(sql`
    insert into topics (id, organization_id, name, name_key, title, title_key, description,
      avatar_key, avatar_filename, avatar_content_type, avatar_bytes, avatar_sha256, created_at, updated_at)
    values (${source.id}, ${organizationId}, ${source.name}, ${source.name.toLowerCase()}, ${source.title},
      ${source.title.toLowerCase()}, ${source.description}, ${avatar?.objectKey}, ${avatar?.filename},
      ${avatar?.contentType}, ${avatar?.bytes}, ${avatar?.sha256}, ${source.createdAt}, ${source.updatedAt})`)
}

/** Removes the source's names from the target and restores the source's aliases. */
export async function restoreNames(db: Db, merge: Merge): Promise<void> {
  const atTarget = sql`
    organization_id = ${merge.organizationId} and topic_id = ${merge.target.id} and is_alias`
  await db.run(sql`delete from topic_names where ${atTarget} and name_key = ${merge.source.name.toLowerCase()}`)
  const kept = (column: Sql) => sql`(
    select a.${column} from topic_merge_aliases a where a.merge_id = ${merge.id} and a.name_key = topic_names.name_key)`
  await db.run(sql`
    update topic_names set topic_id = ${merge.source.id}, name = ${kept(sql`name`)},
      created_at = ${kept(sql`created_at`)}
    where ${atTarget} and name_key in (select name_key from topic_merge_aliases where merge_id = ${merge.id})`)
  // Insert aliases that were deleted since the merge.
  await db.run(sql`
    insert into topic_names (organization_id, topic_id, name, name_key, is_alias, created_at)
    select cast(${merge.organizationId} as bigint), cast(${merge.source.id} as bigint), name, name_key, true, created_at
    from topic_merge_aliases a
    where merge_id = ${merge.id} and not exists (
      select 1 from topic_names n where n.topic_id = ${merge.source.id} and n.name_key = a.name_key)
    order by name_key`)
}

/** Returns later merges into the same target that can still be undone, oldest first. */
export async function listLaterMerges(db: Db, { id, target }: Merge): Promise<number[]> {
  const rows = await db.all<{ id: number }>(sql`
    select id from topic_merges
    where target_id = ${target.id} and id > ${id} and undone_at is null and undo_expired_at is null order by id`)
  return rows.map((row) => row.id)
}

/**
 * Assigns the source to its former projects, except those that were deleted or changed since the merge. Keeps the
 * target on projects that a later merge would also have given it; undoing the oldest of those merges removes it.
 */
export async function restoreAssignments(
  db: Db,
  merge: Merge,
  targetIsThere: boolean,
  laterIds: readonly number[],
): Promise<void> {
  await db.run(sql`
    insert into project_topics (project_id, topic_id)
    select m.project_id, cast(${merge.source.id} as bigint) from topic_merge_projects m
    join projects p on p.id = m.project_id
    where m.merge_id = ${merge.id} ${targetIsThere ? sql`and ${carriesTarget(merge)}` : sql``} order by m.project_id`)
  const later = db.dialect.integers(laterIds)
  const taken = sql`topic_id = ${merge.target.id} and project_id in (${givenByMerge(merge)})
    and project_id not in (select project_id from topic_merge_projects where merge_id in ${later})`
  await db.run(sql`delete from project_topics where ${taken} and not inherited`)
  await db.run(sql`update project_topics set own = false where ${taken}`)
  await db.run(sql`
    update topic_merge_projects set had_both = false
    where merge_id in ${later} and project_id in (${givenByMerge(merge)}) and merge_id = (
      select min(l.merge_id) from topic_merge_projects l
      where l.project_id = topic_merge_projects.project_id and l.merge_id in ${later})`)
}

/** Projects that have the target because of this merge. */
const givenByMerge = (merge: Merge): Sql => sql`
  select project_id from topic_merge_projects where merge_id = ${merge.id} and not had_both`

/**
 * Gives the source to its former groups, as `restoreAssignments` does for projects. Returns all groups of the merge, whose
 * projects then inherit other topics.
 */
export async function restoreGroupTopics(
  db: Db,
  merge: Merge,
  targetIsThere: boolean,
  laterIds: readonly number[],
): Promise<Pick<Namespace, 'id' | 'lineage'>[]> {
  await db.run(sql`
    insert into group_topics (group_id, topic_id)
    select m.group_id, cast(${merge.source.id} as bigint) from topic_merge_groups m
    join namespaces n on n.id = m.group_id
    where m.merge_id = ${merge.id} ${targetIsThere ? sql`and ${groupHasTarget(merge)}` : sql``} order by m.group_id`)
  const later = db.dialect.integers(laterIds)
  const given = sql`select group_id from topic_merge_groups where merge_id = ${merge.id} and not had_both`
  await db.run(sql`
    delete from group_topics where topic_id = ${merge.target.id} and group_id in (${given})
      and group_id not in (select group_id from topic_merge_groups where merge_id in ${later})`)
  await db.run(sql`
    update topic_merge_groups set had_both = false
    where merge_id in ${later} and group_id in (${given}) and merge_id = (
      select min(l.merge_id) from topic_merge_groups l
      where l.group_id = topic_merge_groups.group_id and l.merge_id in ${later})`)
  return db.all(sql`
    select n.id, n.lineage from topic_merge_groups m join namespaces n on n.id = m.group_id
    where m.merge_id = ${merge.id} order by n.id`)
}
