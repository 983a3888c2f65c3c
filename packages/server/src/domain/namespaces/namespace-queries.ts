import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import type { Visibility } from '../access/roles.ts'
import { lineageRange, type Namespace } from './namespace.ts'
import { namespaceColumns } from './namespace-sql.ts'

export async function findNamespaceById(db: Db, id: number): Promise<Namespace | undefined> {
  return db.one(sql`select ${namespaceColumns} from namespaces where id = ${id}`)
}

export async function findNamespaceByPath(db: Db, fullPath: string): Promise<Namespace | undefined> {
  return db.one(sql`select ${namespaceColumns} from namespaces where full_path_key = ${fullPath.toLowerCase()}`)
}

/**
 * Returns the namespace and locks it until the transaction ends, so that its path cannot change while a child is added.
 */
export async function lockNamespace(db: Db, id: number): Promise<Namespace | undefined> {
  return db.one(sql`
    select ${namespaceColumns} from namespaces where id = ${id} ${db.dialect.forUpdate}`)
}

/** Locks the namespaces until the transaction ends, so that no other transaction adds rows to them. */
export async function lockNamespaces(db: Db, ids: readonly number[]): Promise<void> {
  await db.all(sql`
    select id from namespaces where id in ${db.dialect.integers(ids)} order by id ${db.dialect.forUpdate}`)
}

export async function findOwnNamespace(db: Db, userId: number): Promise<Namespace | undefined> {
  return db.one(sql`
    select ${namespaceColumns} from namespaces where owner_id = ${userId} and kind = 'user'`)
}

export type GroupDraft = Pick<Namespace, 'name' | 'path' | 'description' | 'visibility' | 'promoteOnIngestion'>

/** Returns the setting of the nearest of these namespaces that has one: whether new projects promote findings. */
export async function findPromotionSetting(db: Db, lineage: readonly number[]): Promise<boolean | undefined> {
  const row = await db.one<{ promoteOnIngestion: boolean }>(sql`
    select promote_on_ingestion from namespaces
    where id in ${db.dialect.integers(lineage)} and promote_on_ingestion is not null
    order by length(lineage) desc, id limit 1`)
  return row?.promoteOnIngestion
}

/** Inserts a group. Returns `undefined` when a group, user or project already has the path. */
export async function insertGroup(
  db: Db,
  draft: GroupDraft,
  { parent, organizationId, now }: { parent: Namespace | null; organizationId: number; now: string },
): Promise<Namespace | undefined> {
  const fullPath = parent ? `${parent.fullPath}/${draft.path}` : draft.path
  const fullName = parent ? `${parent.fullName} / ${draft.name}` : draft.name
  const key = fullPath.toLowerCase()
  return db.one(sql`
    insert into namespaces (organization_id, kind, name, path, full_path, full_path_key, full_name, description,
      visibility, promote_on_ingestion, parent_id, lineage, created_at, updated_at)
    select ${organizationId}, 'group', ${draft.name}, ${draft.path}, ${fullPath}, ${key}, ${fullName},
      ${draft.description}, ${draft.visibility}, ${draft.promoteOnIngestion}, ${parent?.id},
      ${parent ? lineageRange(parent)[0] : ''}, ${now}, ${now}
    where not exists (select 1 from projects where full_path_key = ${key})
    on conflict (full_path_key) do nothing
    returning ${namespaceColumns}`)
}

/**
 * Updates a group. Returns false when a group, user or project already has the path; throws a unique violation when one
 * takes it concurrently.
 */
export async function updateGroup(db: Db, group: Namespace, now: string): Promise<boolean> {
  const key = group.fullPath.toLowerCase()
  const changed = await db.run(sql`
    update namespaces set name = ${group.name}, path = ${group.path}, full_path = ${group.fullPath},
      full_path_key = ${key}, full_name = ${group.fullName}, description = ${group.description},
      visibility = ${group.visibility}, promote_on_ingestion = ${group.promoteOnIngestion}, updated_at = ${now}
    where id = ${group.id}
      and not exists (select 1 from projects where full_path_key = ${key})
      and not exists (select 1 from namespaces other where other.full_path_key = ${key} and other.id <> ${group.id})`)
  return changed === 1
}

/** Moves a group to another parent, or to the top level. Returns and throws like `updateGroup`. */
export async function updateParent(db: Db, group: Namespace, now: string): Promise<boolean> {
  if (!(await updateGroup(db, group, now))) return false
  await db.run(sql`
    update namespaces set parent_id = ${group.parentId}, lineage = ${group.lineage} where id = ${group.id}`)
  return true
}

/** Updates the full paths, names and lineages of all namespaces below a renamed or moved group. */
export async function updateSubgroupPaths(db: Db, before: Namespace, after: Namespace): Promise<void> {
  const [from, to] = lineageRange(before)
  await db.run(sql`
    update namespaces set
      lineage = ${after.lineage} || substr(lineage, ${before.lineage.length + 1}),
      full_path = ${after.fullPath} || substr(full_path, ${before.fullPath.length + 1}),
      full_path_key = ${after.fullPath.toLowerCase()} || substr(full_path_key, ${before.fullPath.length + 1}),
      full_name = ${after.fullName} || substr(full_name, ${[...before.fullName].length + 1})
    where lineage >= ${from} and lineage < ${to}`)
}

/** Returns the number of ancestors of the namespace that has the most, of this one and all below it. */
export async function maxAncestorsBelow(db: Db, namespace: Namespace): Promise<number> {
  const [from, to] = lineageRange(namespace)
  const row = await db.one<{ ancestors: number }>(sql`
    select max(length(lineage) - length(replace(lineage, '/', ''))) as ancestors from namespaces
    where id = ${namespace.id} or (lineage >= ${from} and lineage < ${to})`)
  return row?.ancestors ?? 0
}

/** Sets the visibility of those namespaces, of this one and all below it, that have one of the others. */
export async function replaceVisibilities(
  db: Db,
  namespace: Namespace,
  { from, to, now }: { from: readonly Visibility[]; to: Visibility; now: string },
): Promise<void> {
  const [first, end] = lineageRange(namespace)
  await db.run(sql`
    update namespaces set visibility = ${to}, updated_at = ${now}
    where (id = ${namespace.id} or (lineage >= ${first} and lineage < ${end}))
      and visibility in ${db.dialect.texts(from)}`)
}

export async function deleteNamespaceById(db: Db, id: number): Promise<void> {
  await db.run(sql`delete from namespaces where id = ${id}`)
}

export async function listOwnNamespaces(db: Db, userId: number): Promise<Namespace[]> {
  return db.all(sql`
    select ${namespaceColumns} from namespaces where owner_id = ${userId} order by id`)
}

/** Returns the visibilities of a group's direct projects and subgroups. */
export async function listVisibilitiesIn(
  db: Db,
  groupId: number,
): Promise<{ of: 'project' | 'group'; visibility: Visibility }[]> {
  return db.all(sql`
    select distinct 'project' as "of", visibility from projects where namespace_id = ${groupId}
    union all
    select distinct 'group' as "of", visibility from namespaces where parent_id = ${groupId}
    order by 1, 2`)
}

/** Returns the ids of these namespaces and of all namespaces below them. */
export async function listNamespaceIdsBelow(
  db: Db,
  namespaces: readonly Pick<Namespace, 'id' | 'lineage'>[],
): Promise<number[]> {
  const ids: number[] = []
  for (const namespace of namespaces) {
    const [from, to] = lineageRange(namespace)
    const rows = await db.all<{ id: number }>(sql`
      select id from namespaces where id = ${namespace.id} or (lineage >= ${from} and lineage < ${to}) order by id`)
    ids.push(...rows.map((row) => row.id))
  }
  return ids
}
