import sql from 'sql-template-tag'
import type { Db } from '../../../db/db.ts'
import { maxCountedRows, type PageRequest } from '../../page.ts'
import type { Topic, TopicAvatar } from '../topic.ts'

/** Journal entry of a merge. */
export interface Merge {
  id: number
  organizationId: number
  source: {
    id: number
    name: string
    title: string
    description: string | null
    avatar: TopicAvatar | null
    createdAt: string
    updatedAt: string
  }
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

interface MergeRow {
  id: number
  organization_id: number
  source_id: number
  source_name: string
  source_title: string
  source_description: string | null
  source_avatar_key: string | null
  source_avatar_filename: string | null
  source_avatar_content_type: string | null
  source_avatar_bytes: number | null
  source_created_at: string
  source_updated_at: string
  target_id: number
  target_name: string
  moved_projects_count: number
  shared_projects_count: number
  keeps_alias: boolean
  merged_by_id: number | null
  merged_by_username: string | null
  merged_by_name: string | null
  merged_at: string
  undone_by_id: number | null
  undone_by_username: string | null
  undone_by_name: string | null
  undone_at: string | null
  undo_expired_at: string | null
}

const selected = sql`
  select m.id, m.organization_id, source_id, source_name, source_title, source_description, source_avatar_key,
    source_avatar_filename, source_avatar_content_type, source_avatar_bytes, source_created_at, source_updated_at,
    target_id, target_name, moved_projects_count, shared_projects_count, keeps_alias, merged_by_id, merged_at,
    undone_by_id, undone_at, undo_expired_at, merger.username as merged_by_username, merger.name as merged_by_name,
    undoer.username as undone_by_username, undoer.name as undone_by_name
  from topic_merges m left join users merger on merger.id = m.merged_by_id
  left join users undoer on undoer.id = m.undone_by_id`

/** Returns merges, newest first, one more than the page holds. */
export async function newestMerges(db: Db, organizationId: number, { perPage, offset }: PageRequest): Promise<Merge[]> {
  const rows = await db.all<MergeRow>(sql`
    ${selected} where m.organization_id = ${organizationId}
    order by m.id desc limit ${perPage + 1} offset ${offset}`)
  return rows.map(mergeFrom)
}

export async function countMerges(db: Db, organizationId: number): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from (
      select 1 from topic_merges where organization_id = ${organizationId} limit ${maxCountedRows + 1}
    ) as counted`)
  return row?.total ?? 0
}

export async function findMerge(db: Db, id: number): Promise<Merge | undefined> {
  const row = await db.one<MergeRow>(sql`${selected} where m.id = ${id}`)
  return row && mergeFrom(row)
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
      source_created_at, source_updated_at, target_id, target_name, moved_projects_count, shared_projects_count,
      keeps_alias, merged_by_id, merged_at)
    values (${source.organizationId}, ${source.id}, ${source.name}, ${source.title}, ${source.description},
      ${source.avatar?.objectKey}, ${source.avatar?.filename}, ${source.avatar?.contentType}, ${source.avatar?.bytes},
      ${source.createdAt}, ${source.updatedAt}, ${target.id}, ${target.name}, ${counts.moved}, ${counts.shared},
      ${keepsAlias}, ${mergedById}, ${now})
    returning id`)
  const id = row?.id ?? 0
  await db.run(sql`
    insert into topic_merge_projects (merge_id, project_id, had_both)
    select cast(${id} as bigint), a.project_id, also.id is not null from project_topics a
    left join project_topics also on also.project_id = a.project_id and also.topic_id = ${target.id}
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
  const rows = await db.all<{ id: number; source_avatar_key: string | null }>(sql`
    select id, source_avatar_key from topic_merges
    where undone_at is null and undo_expired_at is null and merged_at < ${before}
    order by merged_at, id limit ${limit} ${db.dialect.forUpdate}`)
  return rows.map((row) => ({ id: row.id, avatarKey: row.source_avatar_key }))
}

export async function markForgotten(db: Db, ids: readonly number[], now: string): Promise<void> {
  await db.run(sql`update topic_merges set undo_expired_at = ${now} where id in ${db.dialect.integers(ids)}`)
}

function mergeFrom(row: MergeRow): Merge {
  const { source_avatar_key: objectKey } = row
  return {
    id: row.id,
    organizationId: row.organization_id,
    source: {
      id: row.source_id,
      name: row.source_name,
      title: row.source_title,
      description: row.source_description,
      avatar:
        objectKey === null
          ? null
          : {
              objectKey,
              filename: row.source_avatar_filename ?? 'avatar',
              contentType: row.source_avatar_content_type ?? 'application/octet-stream',
              bytes: row.source_avatar_bytes ?? 0,
            },
      createdAt: row.source_created_at,
      updatedAt: row.source_updated_at,
    },
    target: { id: row.target_id, name: row.target_name },
    movedProjects: row.moved_projects_count,
    sharedProjects: row.shared_projects_count,
    keepsAlias: row.keeps_alias,
    mergedBy: actor(row.merged_by_id, row.merged_by_username, row.merged_by_name),
    mergedAt: row.merged_at,
    undoneBy: actor(row.undone_by_id, row.undone_by_username, row.undone_by_name),
    undoneAt: row.undone_at,
    undoExpiredAt: row.undo_expired_at,
  }
}

function actor(id: number | null, username: string | null, name: string | null): Actor | null {
  return id === null ? null : { id, username: username ?? '', name: name ?? '' }
}

export async function clearMergedAvatars(db: Db, ids: readonly number[]): Promise<void> {
  await db.run(sql`update topic_merges set source_avatar_key = null where id in ${db.dialect.integers(ids)}`)
}
