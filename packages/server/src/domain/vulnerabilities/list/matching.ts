import type { Deps } from '../../deps.ts'
import { listFacets } from './facets-queries.ts'
import { matchesFacets, type VulnerabilityFilter } from './filter.ts'
import { unindexedFilters } from './unindexed-filter-queries.ts'

/**
 * Returns those of a project's vulnerabilities that match a filter. Tests their rows, so it works in the transaction that
 * changes them.
 */
export async function matchingAmong(
  { db, now }: Deps,
  { projectId, filter }: { projectId: number; filter: VulnerabilityFilter },
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  const withFacets = (await listFacets(db, ids)).filter((facets) => matchesFacets(filter, facets)).map(({ id }) => id)
  const unindexed = unindexedFilters(db, {
    filter,
    projectIds: [projectId],
    counts: [],
    // In an order with a key, the assignee is tested without the facets of index ranges.
    order: { key: { sql: 'priority', type: 'number' }, id: 'asc' },
    today: now().slice(0, 10),
  })
  return unindexed && withFacets.length > 0 ? unindexed.listMatching(withFacets) : new Set(withFacets)
}
