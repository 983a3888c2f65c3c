import sql, { type Sql } from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import { roles } from '../access/roles.ts'
import type { Namespace } from '../namespaces/namespace.ts'

/** Locks and returns the groups that this user owns directly, so that no other owner can leave them concurrently. */
export async function lockOwnedGroups(
  db: Db,
  userId: number,
  today: string,
): Promise<Pick<Namespace, 'id' | 'lineage'>[]> {
  return db.all(sql`
    select n.id, n.lineage from namespaces n join members m on m.namespace_id = n.id
    where n.kind = 'group' and m.user_id = ${userId} and ${isOwning(today)} order by n.id ${db.dialect.forUpdate}`)
}

/** Returns the namespaces that another person owns today, including blocked owners and memberships that will expire. */
export async function listIdsWithOtherOwners(
  db: Db,
  namespaceIds: readonly number[],
  userId: number,
  today: string,
): Promise<number[]> {
  const rows = await db.all<{ namespaceId: number }>(sql`
    select distinct m.namespace_id from members m join users u on u.id = m.user_id and not u.is_bot
    where m.namespace_id in ${db.dialect.integers(namespaceIds)} and m.user_id <> ${userId} and ${isOwning(today)}
    order by m.namespace_id`)
  return rows.map((row) => row.namespaceId)
}

function isOwning(today: string): Sql {
  return sql`m.access_level >= ${roles.owner} and (m.expires_on is null or m.expires_on > ${today})`
}

/** Returns those of the keys that a row refers to. */
export async function listReferencedKeys(db: Db, keys: readonly string[]): Promise<string[]> {
  const wanted = db.dialect.texts(keys)
  const rows = await db.all<{ key: string }>(sql`
    select object_key as key from uploads where object_key in ${wanted}
    union all
    select object_key as key from resumable_parts where object_key in ${wanted}
    union all
    select avatar_key as key from topics where avatar_key in ${wanted}
    union all
    select object_key as key from avatars where object_key in ${wanted}
    union all
    select source_avatar_key as key from topic_merges where source_avatar_key in ${wanted}
    union all
    select object_key as key from imports where object_key in ${wanted}
    union all
    select object_key as key from vulnerability_exports where object_key in ${wanted}`)
  return rows.map((row) => row.key)
}

/** Returns the object keys of reports that have not been imported yet. */
export async function listReportKeys(db: Db, projectIds: readonly number[]): Promise<string[]> {
  const rows = await db.all<{ key: string }>(sql`
    select object_key as key from imports
    where object_key is not null and project_id in ${db.dialect.integers(projectIds)} order by id`)
  return rows.map((row) => row.key)
}

export async function listPendingAmong(db: Db, keys: readonly string[]): Promise<string[]> {
  const rows = await db.all<{ key: string }>(sql`
    select object_key as key from pending_deletions where object_key in ${db.dialect.texts(keys)}`)
  return rows.map((row) => row.key)
}

/** Row that refers to an object, with the recorded size. */
export interface StoredFile {
  kind: (typeof fileKinds)[number]
  id: number
  key: string
  bytes: number
  /** Recorded digest of the content, if there is one. */
  sha256: string | null
  /** Description for log messages and output. */
  what: string
}

/** Kinds of stored files, in listing order. Avatars of merged topics are kept in case the merge is undone. */
const fileKinds = ['upload', 'avatar', 'merged avatar', 'avatar of owner', 'export', 'report', 'part'] as const

const kindNouns: Record<StoredFile['kind'], string> = {
  upload: 'upload',
  avatar: 'avatar of topic',
  'merged avatar': 'avatar kept for the undo of merge',
  'avatar of owner': 'avatar of a project, group or user',
  export: 'export',
  report: 'report of import',
  part: 'part of unfinished upload',
}

/**
 * Lists stored files after the given one, by kind and id: uploads (including deleted ones), avatars of topics, merged
 * avatars, avatars of projects, groups and users, exports, reports that have not been imported yet, and parts of unfinished uploads. Each kind is read in the order of its primary key.
 */
export async function listStoredFiles(db: Db, after: StoredFile | undefined, limit: number): Promise<StoredFile[]> {
  const files: StoredFile[] = []
  for (const kind of fileKinds.slice(fileKinds.indexOf(after?.kind ?? 'upload'))) {
    const afterId = kind === after?.kind ? after.id : 0
    const rows = await db.all<Omit<StoredFile, 'kind' | 'what'> & { name: string }>(sql`
      ${selectFiles[kind]} and id > ${afterId} order by id limit ${limit - files.length}`)
    for (const { name, ...row } of rows) files.push({ ...row, kind, what: `${kindNouns[kind]} ${row.id}, ${name}` })
    if (files.length === limit) break
  }
  return files
}

const selectFiles: Record<StoredFile['kind'], Sql> = {
  upload: sql`select id, object_key as key, bytes, sha256, filename as name from uploads where true`,
  avatar: sql`
    select id, avatar_key as key, avatar_bytes as bytes, avatar_sha256 as sha256, name
    from topics where avatar_key is not null`,
  'merged avatar': sql`
    select id, source_avatar_key as key, source_avatar_bytes as bytes, source_avatar_sha256 as sha256,
      source_name as name
    from topic_merges where source_avatar_key is not null`,
  'avatar of owner': sql`select id, object_key as key, bytes, sha256, filename as name from avatars where true`,
  export: sql`
    select id, object_key as key, bytes, sha256, filename as name
    from vulnerability_exports where object_key is not null`,
  report: sql`
    select id, object_key as key, file_bytes as bytes, file_sha256 as sha256, ref as name
    from imports where object_key is not null`,
  part: sql`
    select id, object_key as key, bytes, sha256, cast(resumable_id as text) as name from resumable_parts where true`,
}
