import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import { lineageRange, type Namespace } from './namespace.ts'

/** Returns the id of the project that had this path. */
export async function findMovedProjectId(db: Db, fullPath: string): Promise<number | undefined> {
  const row = await db.one<{ id: number }>(sql`
    select project_id as id from moved_paths where path_key = ${fullPath.toLowerCase()} and project_id is not null`)
  return row?.id
}

/** Returns the id of the group that had this path. */
export async function findMovedGroupId(db: Db, fullPath: string): Promise<number | undefined> {
  const row = await db.one<{ id: number }>(sql`
    select namespace_id as id from moved_paths where path_key = ${fullPath.toLowerCase()} and namespace_id is not null`)
  return row?.id
}

/** Deletes the redirects from a path and all paths below it. */
export async function deleteMovedPaths(db: Db, fullPath: string): Promise<void> {
  const key = fullPath.toLowerCase()
  // In byte order, 0 directly follows the slash.
  await db.run(sql`
    delete from moved_paths where path_key = ${key} or (path_key >= ${`${key}/`} and path_key < ${`${key}0`})`)
}

export async function insertMovedProject(db: Db, projectId: number, oldFullPath: string, now: string): Promise<void> {
  await db.run(sql`
    insert into moved_paths (path_key, project_id, created_at) values (${oldFullPath.toLowerCase()}, ${projectId}, ${now})
    on conflict (path_key) do update set project_id = excluded.project_id, namespace_id = null,
      created_at = excluded.created_at`)
}

/** Records redirects for a namespace and all groups and projects below it, which already have their new paths. */
export async function insertMovedNamespace(db: Db, after: Namespace, oldFullPath: string, now: string): Promise<void> {
  const [from, to] = lineageRange(after)
  const oldKey = oldFullPath.toLowerCase()
  const rest = sql`substr(full_path_key, ${after.fullPath.length + 1})`
  await db.run(sql`
    insert into moved_paths (path_key, namespace_id, created_at)
    select ${oldKey} || ${rest}, id, ${now} from namespaces
    where kind = 'group' and (id = ${after.id} or (lineage >= ${from} and lineage < ${to}))
    on conflict (path_key) do update set namespace_id = excluded.namespace_id, project_id = null,
      created_at = excluded.created_at`)
  await db.run(sql`
    insert into moved_paths (path_key, project_id, created_at)
    select ${oldKey} || ${rest}, id, ${now} from projects where namespace_id in (
      select id from namespaces where id = ${after.id} or (lineage >= ${from} and lineage < ${to}))
    on conflict (path_key) do update set project_id = excluded.project_id, namespace_id = null,
      created_at = excluded.created_at`)
}
