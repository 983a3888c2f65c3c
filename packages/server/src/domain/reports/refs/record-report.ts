import type { Deps } from '../../deps.ts'
import type { RefName } from './ref.ts'
import { upsertRef } from './ref-queries.ts'

/** Records that a report for the ref is visible, which opens a closed ref. Runs in the transaction of the import. */
export async function recordReport({ db, now }: Deps, ref: RefName): Promise<void> {
  await upsertRef(db, ref, now())
}
