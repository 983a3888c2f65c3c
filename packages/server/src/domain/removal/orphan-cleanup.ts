import type { Deps } from '../deps.ts'
import { listPendingAmong, listReferencedKeys } from './removal-queries.ts'

/** Minimum age of an orphaned object. Its row is inserted only after a slow client has sent the rest of the form. */
const graceMs = 24 * 60 * 60 * 1000
const batchSize = 1000
const prefix = 'files/'

/** Deletes orphaned objects, left behind by crashes: those without a committed row, and unfinished uploads. */
export async function removeOrphanedObjects(deps: Deps): Promise<void> {
  // Objects without a row in a restored backup may still have one in the database that replaces it later.
  const before = Date.parse(deps.now()) - Math.max(graceMs, deps.settings.objectRetentionMs)
  await removeOrphansBefore(deps, before)
  const removed = await deps.objects.removeUnfinished(prefix, new Date(before))
  if (removed > 0) deps.log.info({ removed }, 'removed unfinished uploads into the store')
}

async function removeOrphansBefore(deps: Deps, before: number): Promise<void> {
  let batch: string[] = []
  for await (const { key, modifiedAt } of deps.objects.list(prefix)) {
    if (modifiedAt.getTime() > before) continue
    batch.push(key)
    if (batch.length === batchSize) {
      await removeUnreferenced(deps, batch)
      batch = []
    }
  }
  await removeUnreferenced(deps, batch)
}

async function removeUnreferenced(deps: Deps, keys: readonly string[]): Promise<void> {
  // Pending deletions are handled by another periodic task.
  const referenced = new Set([...(await listReferencedKeys(deps.db, keys)), ...(await listPendingAmong(deps.db, keys))])
  const orphans = keys.filter((key) => !referenced.has(key))
  for (const key of orphans) await deps.objects.remove(key)
  if (orphans.length > 0) deps.log.info({ removed: orphans.length }, 'removed objects without rows')
}
