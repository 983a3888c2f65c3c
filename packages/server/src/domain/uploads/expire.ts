import { type Deps, transaction } from '../deps.ts'
import { doomObjects } from '../files/pending-deletions.ts'
import { takeExpiredUploads } from './upload-queries.ts'

const batchSize = 200

/** Takes away for good what was deleted longer ago than the grace period: the rows, and then their bytes. */
export async function expireUploads(deps: Deps): Promise<void> {
  const before = new Date(Date.parse(deps.now()) - deps.settings.uploadGraceMs).toISOString()
  for (let taken = batchSize; taken === batchSize; ) {
    taken = await transaction(deps, async (deps) => {
      const keys = await takeExpiredUploads(deps.db, before, batchSize)
      await doomObjects(deps, keys)
      return keys.length
    })
  }
}
