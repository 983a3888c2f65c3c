import type { RootDeps } from '../../deps.ts'
import { cachedFacetCounts } from '../list/counts/cached-counts.ts'
import { type ListScope, matchesFacets, type VulnerabilityFilter } from '../list/filter.ts'

/** Facets of a filter, and the scanners that it selects. */
export interface FacetSelection {
  filter: VulnerabilityFilter
  scannerIds: readonly number[]
}

const facetFields: ReadonlySet<string> = new Set<keyof VulnerabilityFilter>([
  ...(['states', 'severities', 'reportTypes', 'scanners', 'dismissalReasons'] as const),
  ...(['isResolvedOnDefaultBranch', 'isOnDefaultBranch'] as const),
])

/** Returns whether an index covers the filter. */
export const hasOnlyFacets = (filter: VulnerabilityFilter): boolean =>
  Object.entries(filter).every(([field, value]) => value === undefined || facetFields.has(field))

export async function facetSelection(
  deps: RootDeps,
  scope: ListScope,
  filter: VulnerabilityFilter,
): Promise<FacetSelection> {
  if (!filter.scanners) return { filter, scannerIds: [] }
  const matching = (await cachedFacetCounts(deps, scope)).filter((count) => matchesFacets(filter, count))
  return { filter, scannerIds: [...new Set(matching.map(({ scannerId }) => scannerId))] }
}
