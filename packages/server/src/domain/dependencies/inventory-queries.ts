import { hash } from 'node:crypto'
import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import type { ReportedDependency } from './dependency.ts'

/** Ref of a project and the source of a report. */
export interface InventoryPlace {
  projectId: number
  ref: string
}

/** Inserts an inventory, which is invisible until it is published. */
export async function insertInventory(
  db: Db,
  { projectId, ref, source, importId, now }: InventoryPlace & { source: string; importId: number; now: string },
): Promise<number> {
  const row = await db.one<{ id: number }>(sql`
    insert into inventories (project_id, ref, source, import_id, state, created_at)
    values (${projectId}, ${ref}, ${source}, ${importId}, 'reading', ${now}) returning id`)
  if (!row) throw new Error('an inserted inventory returned no row')
  return row.id
}

/**
 * Returns the id under which all inventories share a version of a package. It covers everything that is stored of it, so
 * that no project sees a name or an address that only the report of another one states.
 */
const identityOf = ({ packageKey, packageUrl, type, name, version }: ReportedDependency): string =>
  hash('sha256', JSON.stringify([packageKey, packageUrl, type, name, version]), 'base64url')

/** Inserts the packages that are unknown. Sorted, so that concurrent imports cannot deadlock. */
export async function upsertPackages(db: Db, dependencies: readonly ReportedDependency[]): Promise<void> {
  const rows = dependencies
    .map((one) => ({ ...one, identity: identityOf(one) }))
    .sort((a, b) => (a.identity < b.identity ? -1 : 1))
  const columns = {
    identity: 'text',
    name: 'text',
    version: 'text',
    type: 'text',
    packageUrl: 'text',
    packageKey: 'text',
  } as const
  await db.run(sql`
    insert into packages (identity, name, version, type, package_url, package_key)
    select r.identity, r.name, r.version, r.type, r.package_url, r.package_key
    from ${db.dialect.records(rows, columns)} as r
    where not exists (select 1 from packages p where p.identity = r.identity)
    on conflict (identity) do nothing`)
}

/** Inserts dependencies whose packages are stored. */
export async function insertDependencies(
  db: Db,
  inventoryId: number,
  dependencies: readonly ReportedDependency[],
): Promise<void> {
  const rows = dependencies.map((one) => ({
    identity: identityOf(one),
    name: one.name.toLowerCase(),
    packageManager: one.packageManager,
    file: one.file,
    licenses: JSON.stringify(one.licenses),
  }))
  const columns = { identity: 'text', name: 'text', packageManager: 'text', file: 'text', licenses: 'text' } as const
  await db.run(sql`
    insert into dependencies (inventory_id, package_id, name, package_manager, file, licenses)
    select ${inventoryId}, (select p.id from packages p where p.identity = r.identity), r.name, r.package_manager,
      r.file, r.licenses
    from ${db.dialect.records(rows, columns)} as r`)
}

/** Makes an inventory the current one of its source. */
export async function publishInventory(db: Db, id: number): Promise<void> {
  await db.run(sql`
    update inventories set state = 'superseded'
    where state = 'current' and (project_id, ref, source) = (
      select i.project_id, i.ref, i.source from inventories i where i.id = ${id})`)
  await db.run(sql`update inventories set state = 'current' where id = ${id}`)
}

/** Hides the inventories of a ref. */
export async function supersedeInventories(db: Db, { projectId, ref }: InventoryPlace): Promise<void> {
  await db.run(sql`
    update inventories set state = 'superseded'
    where project_id = ${projectId} and ref = ${ref} and state = 'current'`)
}

/** Hides the inventories that an unfinished attempt of an import has left. */
export async function supersedeUnpublished(db: Db, importId: number): Promise<void> {
  await db.run(sql`update inventories set state = 'superseded' where import_id = ${importId} and state = 'reading'`)
}

/** Returns inventories that are no longer used: superseded ones, and those of imports that have ended. */
export async function listObsolete(db: Db, limit: number): Promise<number[]> {
  const rows = await db.all<{ id: number }>(sql`
    select i.id from inventories i left join imports m on m.id = i.import_id
    where i.state <> 'current' and (i.state = 'superseded' or m.id is null or m.state in ('done', 'failed'))
    order by i.id limit ${limit}`)
  return rows.map(({ id }) => id)
}

export async function listInventories(db: Db, projectIds: readonly number[]): Promise<number[]> {
  const rows = await db.all<{ id: number }>(sql`
    select id from inventories where project_id in ${db.dialect.integers(projectIds)} order by id`)
  return rows.map(({ id }) => id)
}

/** Deletes up to `limit` dependencies of an inventory and returns their number. */
export async function deleteDependencies(db: Db, inventoryId: number, limit: number): Promise<number> {
  return db.run(sql`
    delete from dependencies where id in (
      select d.id from dependencies d where d.inventory_id = ${inventoryId} order by d.id limit ${limit})`)
}

export async function deleteInventory(db: Db, id: number): Promise<void> {
  await db.run(sql`delete from inventories where id = ${id} and state <> 'current'`)
}
