import type { Deps } from '../deps.ts'
import { addToCounts, countVulnerabilities } from './count-queries.ts'

/**
 * Runs what changes these vulnerabilities of a project, and brings the kept counts in line with it: counted before and
 * after, so it does not matter what changes. Inside a transaction; hundreds of ids at a time, since they are locked and
 * looked at twice.
 */
export async function keepingCounts<T>(
  deps: Deps,
  projectId: number,
  vulnerabilityIds: readonly number[],
  work: () => Promise<T>,
): Promise<T> {
  const before = await countVulnerabilities(deps.db, vulnerabilityIds)
  const result = await work()
  const after = await countVulnerabilities(deps.db, vulnerabilityIds)
  const gone = before.map((change) => ({ ...change, total: -change.total, seconds: -change.seconds }))
  await addToCounts(deps.db, projectId, [...gone, ...after], deps.now())
  return result
}
