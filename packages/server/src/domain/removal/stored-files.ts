import type { Db } from '../../db/db.ts'
import { listStoredFiles, type StoredFile } from './removal-queries.ts'

export type { StoredFile } from './removal-queries.ts'

const batchSize = 1000

/** Reads every row that refers to an object, in a fixed order. */
export async function* readStoredFiles(db: Db): AsyncGenerator<StoredFile> {
  for (let after: StoredFile | undefined; ; ) {
    const batch = await listStoredFiles(db, after, batchSize)
    yield* batch
    after = batch.at(-1)
    if (batch.length < batchSize) return
  }
}
