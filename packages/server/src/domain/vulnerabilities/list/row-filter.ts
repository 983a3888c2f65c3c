import { severityOf } from '../../findings/scales.ts'
import type { FacetCount } from './facet-count-queries.ts'
import { type ListScope, matchesFacets, type VulnerabilityFilter } from './filter.ts'
import type { InstanceRow } from './instance-index-queries.ts'

/** Sets of project ids, by the array of a scope. Scopes are cached, so each set is built once. */
const projectSets = new WeakMap<readonly number[], ReadonlySet<number>>()

function projectSet({ projectIds }: ListScope): ReadonlySet<number> {
  const known = projectSets.get(projectIds)
  if (known) return known
  const projects = new Set(projectIds)
  projectSets.set(projectIds, projects)
  return projects
}

/** Returns a function that tests whether a row of any project is in the scope and has facets that match the filter. */
export function rowFilter(
  scope: ListScope,
  filter: VulnerabilityFilter,
  matching: readonly FacetCount[],
): (row: InstanceRow) => boolean {
  const facets = { ...filter, scanners: undefined }
  const projects = projectSet(scope)
  const scannerIds = filter.scanners && new Set(matching.map(({ scannerId }) => scannerId))
  return (row) =>
    projects.has(row.projectId) &&
    (!scannerIds || scannerIds.has(row.scannerId)) &&
    matchesFacets(facets, { ...row, severity: severityOf(row.severity), scanner: null })
}
