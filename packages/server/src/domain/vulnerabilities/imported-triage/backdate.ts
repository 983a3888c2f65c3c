import { forEachBatch } from '../../batches.ts'
import type { Deps } from '../../deps.ts'
import { backdateVulnerabilities } from './imported-triage-queries.ts'

/** Sets since when another product has known new vulnerabilities. */
export async function backdate(
  { db }: Deps,
  dates: readonly { id: number; createdAt: string; authorId: number | null }[],
): Promise<void> {
  await forEachBatch(dates, (batch) => backdateVulnerabilities(db, batch))
}
