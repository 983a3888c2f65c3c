import type { Deps } from '../deps.ts'
import {
  forgetDoomed,
  insertPendingDeletions,
  oldestPendingDeletions,
  type PendingDeletion,
} from './pending-deletion-queries.ts'

const batchSize = 100
/** Number of concurrent deletions, because each deletion in a bucket is a slow request. */
const atOnce = 8
/**
 * Maximum number of failures per run. One object that cannot be deleted does not block the others, but an unavailable
 * store is not tried for every object.
 */
const maxFailures = 3

/** Marks objects for deletion. Must run in the transaction that deletes the rows that refer to them. */
export async function markForDeletion(deps: Deps, keys: readonly string[]): Promise<void> {
  if (keys.length > 0) await insertPendingDeletions(deps.db, keys, deps.now())
}

/** Maximum time that a request spends on deletions; deleting thousands of files from a bucket takes minutes. */
const maxWaitMs = 1000

/**
 * Deletes the objects whose rows were deleted longer ago than `ALCOVE_OBJECT_RETENTION_HOURS`. Until then a restored
 * backup, or a standby that lacks the last commits, may bring a row back. The function can be interrupted and run again
 * at any time: objects that could not be deleted stay marked, and the next run tries them again.
 */
export async function deleteMarkedObjects(deps: Deps, isOver = () => false): Promise<void> {
  let failures = 0
  let failure: unknown
  const before = new Date(Date.parse(deps.now()) - deps.settings.objectRetentionMs).toISOString()
  for (let after: PendingDeletion | undefined; ; ) {
    const pending = await oldestPendingDeletions(deps.db, { after, before, limit: batchSize })
    // Objects cannot be restored, so wait until the deletion of their rows would survive a power failure.
    if (pending.length > 0) await deps.db.whenDurable()
    const removed: number[] = []
    const left = pending.values() // shared by all workers
    const work = async () => {
      for (const { id, key } of left) {
        try {
          await deps.objects.remove(key)
          removed.push(id)
        } catch (error) {
          failure ??= error
          failures++
        }
        if (failures >= maxFailures || isOver()) return
      }
    }
    await Promise.all(Array.from({ length: atOnce }, work))
    await forgetDoomed(deps.db, removed)
    if (failures >= maxFailures) throw failure
    const last = pending.at(-1)
    if (!last || pending.length < batchSize || isOver()) break
    after = last
  }
  if (failure) throw failure
}

/**
 * Deletes objects right after a request has deleted their rows. Leaves slow and failed deletions to the periodic task.
 */
export async function deleteMarkedObjectsSoon(deps: Deps): Promise<void> {
  const startedAt = performance.now()
  try {
    await deleteMarkedObjects(deps, () => performance.now() - startedAt > maxWaitMs)
  } catch (error) {
    deps.log.warn({ err: error }, 'objects could not be removed yet')
  }
}
