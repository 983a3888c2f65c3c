import type { Deps } from '../deps.ts'
import { recomputeUsage } from './usage-queries.ts'

export { listWrongUsage } from './usage-queries.ts'

/** Recomputes the stored usage of all owners from their uploads. */
export async function correctUsage({ db }: Deps): Promise<void> {
  await recomputeUsage(db)
}
