import { type Deps, transaction } from '../deps.ts'
import { markForDeletion } from '../files/pending-deletions.ts'
import { takeExpiredUploads } from './upload-queries.ts'

const batchSize = 200

/**
 * Deletes the rows of uploads that were deleted longer ago than the grace period, and marks their objects for deletion.
 */
export async function expireUploads(deps: Deps): Promise<void> {
  const before = new Date(Date.parse(deps.now()) - deps.settings.uploadGraceMs).toISOString()
  for (let taken = batchSize; taken === batchSize; ) {
    taken = await transaction(deps, async (deps) => {
      const keys = await takeExpiredUploads(deps.db, before, batchSize)
      await markForDeletion(deps, keys)
      return keys.length
    })
  }
}
