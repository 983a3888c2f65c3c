import { setImmediate } from 'node:timers/promises'
import { type Deps, projectTransaction, type RootDeps, transaction } from '../deps.ts'
import type { ReportedDependency } from './dependency.ts'
import {
  deleteDependencies,
  deleteInventory,
  type InventoryPlace,
  insertDependencies,
  insertInventory,
  listObsolete,
  supersedeUnpublished,
  upsertPackages,
} from './inventory-queries.ts'

export { publishInventory, supersedeInventories } from './inventory-queries.ts'

/**
 * Stores the dependencies that a report lists, in one transaction per batch, and returns the id of their inventory. It
 * is invisible until `publishInventory`, so that the visible transaction of the import stays short.
 */
export async function storeInventory(
  deps: RootDeps,
  place: InventoryPlace & { source: string; importId: number; now: string },
  { batches, afterEach }: { batches: AsyncIterable<readonly ReportedDependency[]>; afterEach: () => Promise<void> },
): Promise<number> {
  const inTransaction = <Result>(work: (deps: Deps) => Promise<Result>) =>
    projectTransaction(deps, place.projectId, work, { isRelaxed: true })
  const id = await inTransaction(async ({ db }) => {
    await supersedeUnpublished(db, place.importId)
    return insertInventory(db, place)
  })
  for await (const batch of batches) {
    if (batch.length === 0) continue
    await inTransaction(async ({ db }) => {
      await upsertPackages(db, batch)
      await insertDependencies(db, id, batch)
    })
    await afterEach()
    await setImmediate()
  }
  return id
}

const inventoriesAtOnce = 20
const dependenciesAtOnce = 2000

/** Removes inventories that newer reports have replaced or failed imports have left. */
export async function removeObsoleteInventories(deps: RootDeps): Promise<void> {
  for (let ids = await listObsolete(deps.db, inventoriesAtOnce); ids.length > 0; ) {
    for (const id of ids) {
      while (
        (await transaction(deps, ({ db }) => deleteDependencies(db, id, dependenciesAtOnce))) === dependenciesAtOnce
      )
        await setImmediate()
      await transaction(deps, ({ db }) => deleteInventory(db, id))
    }
    ids = await listObsolete(deps.db, inventoriesAtOnce)
  }
}
