import type { Deps } from '../deps.ts'
import { forgetDoomed, insertDoomed, oldestDoomed } from './doomed-queries.ts'

const batchSize = 100

/** Marks objects for removal; in the transaction that deletes the rows that refer to them. */
export async function doomObjects(deps: Deps, keys: readonly string[]): Promise<void> {
  if (keys.length > 0) await insertDoomed(deps.db, keys, deps.now())
}

/**
 * Removes the objects whose rows are gone. May stop anywhere and be run again; what the store refuses now stays marked
 * and is tried at the next run.
 */
export async function removeDoomed(deps: Deps): Promise<void> {
  for (let after = 0; ; ) {
    const doomed = await oldestDoomed(deps.db, after, batchSize)
    for (const { key } of doomed) await deps.objects.remove(key)
    await forgetDoomed(
      deps.db,
      doomed.map(({ id }) => id),
    )
    const last = doomed.at(-1)
    if (!last || doomed.length < batchSize) return
    after = last.id
  }
}

/** After a request has deleted rows: clears up at once, and leaves it to the job when the store does not answer. */
export async function removeDoomedSoon(deps: Deps): Promise<void> {
  try {
    await removeDoomed(deps)
  } catch (error) {
    deps.log.warn({ err: error }, 'objects could not be removed yet')
  }
}
