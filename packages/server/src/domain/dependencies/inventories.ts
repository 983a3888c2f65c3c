import { setImmediate } from 'node:timers/promises'
import { type Deps, projectTransaction, type RootDeps, transaction } from '../deps.ts'
import type { ReportedDependency } from './dependency.ts'
import {
  deleteDependencies,
  deleteInventory,
  type InventoryPlace,
  insertDependencies,
  insertInventory,
  listInventories,
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
      await inSteps(() => transaction(deps, ({ db }) => deleteDependencies(db, id, dependenciesAtOnce)))
      await transaction(deps, ({ db }) => deleteInventory(db, id))
    }
    ids = await listObsolete(deps.db, inventoriesAtOnce)
  }
}

/** Deletes the dependencies of projects that are being removed; their empty inventories go with the project. */
export async function removeDependencies({ db }: Pick<Deps, 'db'>, projectIds: readonly number[]): Promise<void> {
  for (const id of await listInventories(db, projectIds)) {
    await inSteps(() => deleteDependencies(db, id, dependenciesAtOnce))
  }
}

/** Repeats a deletion until it finds less than it deletes at once, and yields to the event loop in between. */
async function inSteps(deleteSome: () => Promise<number>): Promise<void> {
  while ((await deleteSome()) === dependenciesAtOnce) await setImmediate()
}
