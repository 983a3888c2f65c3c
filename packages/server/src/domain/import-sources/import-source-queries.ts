import sql, { empty, raw, type Sql } from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import { lineageRange, type Namespace } from '../namespaces/namespace.ts'
import type { PageRequest } from '../page.ts'
import type { ImportKind, ImportSource, Mirror } from './import-source.ts'

const columns = sql`id, source, kind, source_id, coalesce(namespace_id, project_id, topic_id, user_id) as target_id,
  mirror, mirrored_by_id, avatar_sha256, created_at, updated_at`

const mirrorColumns = sql`kind, coalesce(namespace_id, project_id, topic_id, user_id) as target_id, source,
  mirror as local_changes, mirrored_by_id`

/** Column that refers to the imported object. */
const columnOf: Record<ImportKind, Sql> = {
  group: raw('namespace_id'),
  project: raw('project_id'),
  topic: raw('topic_id'),
  user: raw('user_id'),
}

const isMirror = sql`mirror in ('none', 'triage', 'all')`

export interface ImportSourceFilter {
  source?: string | undefined
  kind?: ImportKind | undefined
}

/** Returns one row more than the page holds. */
export async function listImportSources(
  db: Db,
  filter: ImportSourceFilter,
  { perPage, offset }: PageRequest,
): Promise<ImportSource[]> {
  return db.all(sql`
    select ${columns} from import_sources where ${matches(filter)}
    order by id limit ${perPage + 1} offset ${offset}`)
}

export async function countImportSources(db: Db, filter: ImportSourceFilter): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from import_sources where ${matches(filter)}`)
  return row?.total ?? 0
}

function matches({ source, kind }: ImportSourceFilter): Sql {
  return sql`true ${source === undefined ? empty : sql`and source = ${source}`}
    ${kind === undefined ? empty : sql`and kind = ${kind}`}`
}

const tableOf: Record<ImportKind, Sql> = {
  group: raw('namespaces'),
  project: raw('projects'),
  topic: raw('topics'),
  user: raw('users'),
}

/** Locks the imported object until the transaction ends, so that it becomes a mirror of one source only. */
export async function lockTarget(db: Db, kind: ImportKind, id: number): Promise<void> {
  await db.one(sql`select id from ${tableOf[kind]} where id = ${id} ${db.dialect.forNoKeyUpdate}`)
}

export type ImportSourceKey = Pick<ImportSource, 'source' | 'kind' | 'sourceId'>

/** Returns the row and locks it until the transaction ends. */
export async function lockImportSource(
  db: Db,
  { source, kind, sourceId }: ImportSourceKey,
): Promise<ImportSource | undefined> {
  return db.one(sql`
    select ${columns} from import_sources
    where source = ${source} and kind = ${kind} and source_id = ${sourceId} ${db.dialect.forUpdate}`)
}

/** Inserts a row, or replaces the one with the same key. */
export async function upsertImportSource(
  db: Db,
  draft: Omit<ImportSource, 'id' | 'createdAt' | 'updatedAt'>,
  now: string,
): Promise<ImportSource | undefined> {
  const idOf = (kind: ImportKind) => (draft.kind === kind ? draft.targetId : null)
  return db.one(sql`
    insert into import_sources (source, kind, source_id, namespace_id, project_id, topic_id, user_id, mirror,
      mirrored_by_id, avatar_sha256, created_at, updated_at)
    values (${draft.source}, ${draft.kind}, ${draft.sourceId}, ${idOf('group')}, ${idOf('project')}, ${idOf('topic')},
      ${idOf('user')}, ${draft.mirror}, ${draft.mirroredById}, ${draft.avatarSha256}, ${now}, ${now})
    on conflict (source, kind, source_id) do update set namespace_id = excluded.namespace_id,
      project_id = excluded.project_id, topic_id = excluded.topic_id, user_id = excluded.user_id,
      mirror = excluded.mirror, mirrored_by_id = excluded.mirrored_by_id, avatar_sha256 = excluded.avatar_sha256,
      updated_at = excluded.updated_at
    returning ${columns}`)
}

/** Returns whether the server has a mirror at all. */
export async function hasMirrors(db: Db): Promise<boolean> {
  return (await db.one(sql`select 1 as found from import_sources where ${isMirror} limit 1`)) !== undefined
}

export async function findMirror(db: Db, kind: ImportKind, id: number): Promise<Mirror | undefined> {
  const [mirror] = await listMirrors(db, kind, [id])
  return mirror
}

export async function listMirrors(db: Db, kind: ImportKind, ids: readonly number[]): Promise<Mirror[]> {
  return db.all(sql`
    select ${mirrorColumns} from import_sources
    where ${columnOf[kind]} in ${db.dialect.integers(ids)} and ${isMirror} order by id`)
}

export async function detachObject(db: Db, kind: ImportKind, id: number, now: string): Promise<number> {
  return db.run(sql`
    update import_sources set mirror = 'detached', mirrored_by_id = null, updated_at = ${now}
    where ${columnOf[kind]} = ${id} and ${isMirror}`)
}

/** Detaches the groups and projects below a group. */
export async function detachBelow(db: Db, group: Pick<Namespace, 'id' | 'lineage'>, now: string): Promise<number> {
  const [from, to] = lineageRange(group)
  const groups = sql`select id from namespaces where id = ${group.id} or (lineage >= ${from} and lineage < ${to})`
  return db.run(sql`
    update import_sources set mirror = 'detached', mirrored_by_id = null, updated_at = ${now}
    where ${isMirror} and (namespace_id in (${groups})
      or project_id in (select id from projects where namespace_id in (${groups})))`)
}

/** Makes what was imported as one user belong to another one. */
export async function moveImportedUser(db: Db, fromId: number, toId: number, now: string): Promise<void> {
  await db.run(sql`update import_sources set user_id = ${toId}, updated_at = ${now} where user_id = ${fromId}`)
}
