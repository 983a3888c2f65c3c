import type { Deps } from '../../deps.ts'
import { listFacets } from './facets-queries.ts'
import { filtersRefState, matchesFacets, type VulnerabilityFilter, withRefStates } from './filter.ts'
import { hasRefDismissals } from './ref-state-queries.ts'
import { unindexedFilters } from './unindexed-filter-queries.ts'

/**
 * Returns those of the projects' vulnerabilities that match a filter. Tests their rows, so it works in the transaction
 * that changes them.
 */
export async function matchingAmong(
  { db, now }: Deps,
  { projectIds, filter }: { projectIds: readonly number[]; filter: VulnerabilityFilter },
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  const hasRefStates = filtersRefState(filter) && (await hasRefDismissals(db, projectIds, filter.ref ?? ''))
  const expected = hasRefStates ? withRefStates(filter) : filter
  const withFacets = (await listFacets(db, ids)).filter((facets) => matchesFacets(expected, facets)).map(({ id }) => id)
  const unindexed = unindexedFilters(db, {
    filter,
    projectIds,
    counts: [],
    order: { id: 'asc' },
    today: now().slice(0, 10),
    hasRefStates,
  })
  return unindexed && withFacets.length > 0 ? unindexed.listMatching(withFacets) : new Set(withFacets)
}
