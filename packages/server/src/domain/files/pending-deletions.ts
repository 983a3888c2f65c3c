import type { Deps } from '../deps.ts'
import { type Doomed, forgetDoomed, insertDoomed, oldestDoomed } from './pending-deletion-queries.ts'

const batchSize = 100
/** A bucket takes its time for each. */
const atOnce = 8
/** One object that cannot be removed must not keep the others; a store that is away is not asked for each of them. */
const mostFailures = 3

/** Marks objects for removal; in the transaction that deletes the rows that refer to them. */
export async function doomObjects(deps: Deps, keys: readonly string[]): Promise<void> {
  if (keys.length > 0) await insertDoomed(deps.db, keys, deps.now())
}

/** What a client waits for at most; a bucket would keep whoever deletes thousands of files for minutes. */
const mostWaitMs = 1000

/**
 * Removes the objects whose rows have been gone for as long as `ALCOVE_OBJECT_RETENTION_HOURS` says: until then a restored
 * backup, or a standby that lacks the last commits, may bring a row back. May stop anywhere, also on request, and be run again; what the store
 * refuses now stays marked and is tried at the next run.
 */
export async function removeDoomed(deps: Deps, isOver = () => false): Promise<void> {
  let failures = 0
  let failure: unknown
  const before = new Date(Date.parse(deps.now()) - deps.settings.objectRetentionMs).toISOString()
  for (let after: Doomed | undefined; ; ) {
    const doomed = await oldestDoomed(deps.db, { after, before, limit: batchSize })
    // Bytes cannot be brought back, should a power cut bring back their rows.
    if (doomed.length > 0) await deps.db.settled()
    const removed: number[] = []
    const left = doomed.values() // all the workers draw from it
    const work = async () => {
      for (const { id, key } of left) {
        try {
          await deps.objects.remove(key)
          removed.push(id)
        } catch (error) {
          failure ??= error
          failures++
        }
        if (failures >= mostFailures || isOver()) return
      }
    }
    await Promise.all(Array.from({ length: atOnce }, work))
    await forgetDoomed(deps.db, removed)
    if (failures >= mostFailures) throw failure
    const last = doomed.at(-1)
    if (!last || doomed.length < batchSize || isOver()) break
    after = last
  }
  if (failure) throw failure
}

/** After a request has deleted rows: clears up at once, and leaves to the job what takes long or fails. */
export async function removeDoomedSoon(deps: Deps): Promise<void> {
  const startedAt = performance.now()
  try {
    await removeDoomed(deps, () => performance.now() - startedAt > mostWaitMs)
  } catch (error) {
    deps.log.warn({ err: error }, 'objects could not be removed yet')
  }
}
