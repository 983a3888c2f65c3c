import sql from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import { maxCountedRows, type PageRequest } from '../../page.ts'
import type { Topic } from '../topic.ts'

/** Journal entry of a merge. */
export interface Merge {
  id: number
  organizationId: number
  source: Pick<Topic, 'id' | 'name' | 'title' | 'description' | 'avatar' | 'createdAt' | 'updatedAt'>
  target: { id: number; name: string }
  movedProjects: number
  sharedProjects: number
  keepsAlias: boolean
  mergedBy: Actor | null
  mergedAt: string
  undoneBy: Actor | null
  undoneAt: string | null
  /** Time at which the data for undoing the merge was deleted. */
  undoExpiredAt: string | null
}

export interface Actor {
  id: number
  username: string
  name: string
}

const selected = sql`
  select m.id, m.organization_id, source_id as "source.id", source_name as "source.name",
    source_title as "source.title", source_description as "source.description",
    source_avatar_key as "source.avatar.object_key",
    coalesce(source_avatar_filename, 'avatar') as "source.avatar.filename",
    coalesce(source_avatar_content_type, 'application/octet-stream') as "source.avatar.content_type",
    coalesce(source_avatar_bytes, 0) as "source.avatar.bytes", source_avatar_sha256 as "source.avatar.sha256",
    source_created_at as "source.created_at", source_updated_at as "source.updated_at",
    target_id as "target.id", target_name as "target.name", moved_projects_count as moved_projects,
    shared_projects_count as shared_projects, keeps_alias, merged_at, undone_at, undo_expired_at,
    merger.id as "merged_by.id", merger.username as "merged_by.username", merger.name as "merged_by.name",
    undoer.id as "undone_by.id", undoer.username as "undone_by.username", undoer.name as "undone_by.name"
  from topic_merges m left join users merger on merger.id = m.merged_by_id
  left join users undoer on undoer.id = m.undone_by_id`

/** Returns merges, newest first, one more than the page holds. */
export async function newestMerges(db: Db, organizationId: number, { perPage, offset }: PageRequest): Promise<Merge[]> {
  return db.all(sql`
    ${selected} where m.organization_id = ${organizationId}
    order by m.id desc limit ${perPage + 1} offset ${offset}`)
}

export async function countMerges(db: Db, organizationId: number): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from (
      select 1 from topic_merges where organization_id = ${organizationId} limit ${maxCountedRows + 1}
    ) as counted`)
  return row?.total ?? 0
}

export async function findMerge(db: Db, id: number): Promise<Merge | undefined> {
  return db.one(sql`${selected} where m.id = ${id}`)
}

/** Locks the merge until the transaction ends, so that concurrent undo requests run one after the other. */
export async function lockMerge(db: Db, id: number): Promise<void> {
  await db.one(sql`select id from topic_merges where id = ${id} ${db.dialect.forUpdate}`)
}

/** Returns the numbers of projects that have only the source, and that have both topics. */
export async function countMoves(
  db: Db,
  sourceId: number,
  targetId: number,
): Promise<{ moved: number; shared: number }> {
  const row = await db.one<{ total: number; shared: number }>(sql`
    select count(*) as total, count(also.id) as shared from project_topics a
    left join project_topics also on also.project_id = a.project_id and also.topic_id = ${targetId}
    where a.topic_id = ${sourceId}`)
  const [total, shared] = [row?.total ?? 0, row?.shared ?? 0]
  return { moved: total - shared, shared }
}

/** Inserts the journal entry. Must run before any row is moved. */
export async function insertMerge(
  db: Db,
  {
    source,
    target,
    counts,
    keepsAlias,
    mergedById,
    now,
  }: {
    source: Topic
    target: Topic
    counts: { moved: number; shared: number }
    keepsAlias: boolean
    mergedById: number
    now: string
  },
): Promise<number> {
  const row = await db.one<{ id: number }>(sql`
    insert into topic_merges (organization_id, source_id, source_name, source_title, source_description,
      source_avatar_key, source_avatar_filename, source_avatar_content_type, source_avatar_bytes,
      source_avatar_sha256, source_created_at, source_updated_at, target_id, target_name, moved_projects_count, shared_projects_count,
      keeps_alias, merged_by_id, merged_at)
    values (${source.organizationId}, ${source.id}, ${source.name}, ${source.title}, ${source.description},
      ${source.avatar?.objectKey}, ${source.avatar?.filename}, ${source.avatar?.contentType}, ${source.avatar?.bytes},
      ${source.avatar?.sha256}, ${source.createdAt}, ${source.updatedAt}, ${target.id}, ${target.name}, ${counts.moved}, ${counts.shared},
      ${keepsAlias}, ${mergedById}, ${now})
    returning id`)
  const id = row?.id ?? 0
  await db.run(sql`
    insert into topic_merge_projects (merge_id, project_id, had_both)
    select cast(${id} as bigint), a.project_id, also.id is not null from project_topics a
    left join project_topics also on also.project_id = a.project_id and also.topic_id = ${target.id} and also.own
    where a.topic_id = ${source.id} and a.own`)
  await db.run(sql`
    insert into topic_merge_groups (merge_id, group_id, had_both)
    select cast(${id} as bigint), a.group_id, also.group_id is not null from group_topics a
    left join group_topics also on also.group_id = a.group_id and also.topic_id = ${target.id}
    where a.topic_id = ${source.id}`)
  await db.run(sql`
    insert into topic_merge_aliases (merge_id, name, name_key, created_at)
    select cast(${id} as bigint), name, name_key, created_at from topic_names
    where topic_id = ${source.id} and is_alias`)
  return id
}

/** Deletes the data that only an undo needs. The merge stays in the journal. */
export async function dropUndoData(db: Db, mergeIds: readonly number[]): Promise<void> {
  const ids = db.dialect.integers(mergeIds)
  await db.run(sql`delete from topic_merge_projects where merge_id in ${ids}`)
  await db.run(sql`delete from topic_merge_groups where merge_id in ${ids}`)
  await db.run(sql`delete from topic_merge_aliases where merge_id in ${ids}`)
  await db.run(sql`update topic_merges set source_avatar_key = null where id in ${ids}`)
}

export async function markUndone(db: Db, id: number, userId: number, now: string): Promise<void> {
  await db.run(sql`update topic_merges set undone_at = ${now}, undone_by_id = ${userId} where id = ${id}`)
}

/** Locks and returns merges made before the given time that can still be undone, oldest first. */
export async function lockMergesBefore(
  db: Db,
  before: string,
  limit: number,
): Promise<{ id: number; avatarKey: string | null }[]> {
  return db.all(sql`
    select id, source_avatar_key as avatar_key from topic_merges
    where undone_at is null and undo_expired_at is null and merged_at < ${before}
    order by merged_at, id limit ${limit} ${db.dialect.forUpdate}`)
}

export async function markForgotten(db: Db, ids: readonly number[], now: string): Promise<void> {
  await db.run(sql`update topic_merges set undo_expired_at = ${now} where id in ${db.dialect.integers(ids)}`)
}

export async function clearMergedAvatars(db: Db, ids: readonly number[]): Promise<void> {
  await db.run(sql`update topic_merges set source_avatar_key = null where id in ${db.dialect.integers(ids)}`)
}
