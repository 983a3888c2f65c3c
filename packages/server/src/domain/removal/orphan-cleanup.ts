import type { Deps } from '../deps.ts'
import { listDoomedAmong, listReferencedKeys } from './removal-queries.ts'

/** An object may be on its way to getting a row for as long as a slow client takes to send the rest of its form. */
const graceMs = 24 * 60 * 60 * 1000
const batchSize = 1000
const prefix = 'files/'

/**
 * Removes what crashes leave behind: objects that no row refers to, because the row was never committed, and uploads into
 * the store that were never finished.
 */
export async function sweepObjects(deps: Deps): Promise<void> {
  // What a restored backup does not know may be known to the database that comes back after it.
  const before = Date.parse(deps.now()) - Math.max(graceMs, deps.settings.objectRetentionMs)
  await sweepUnreferenced(deps, before)
  const removed = await deps.objects.removeUnfinished(prefix, new Date(before))
  if (removed > 0) deps.log.info({ removed }, 'removed unfinished uploads into the store')
}

async function sweepUnreferenced(deps: Deps, before: number): Promise<void> {
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
  // Pending deletions have a time of their own.
  const referenced = new Set([...(await listReferencedKeys(deps.db, keys)), ...(await listDoomedAmong(deps.db, keys))])
  const orphans = keys.filter((key) => !referenced.has(key))
  for (const key of orphans) await deps.objects.remove(key)
  if (orphans.length > 0) deps.log.info({ removed: orphans.length }, 'removed objects without rows')
}
