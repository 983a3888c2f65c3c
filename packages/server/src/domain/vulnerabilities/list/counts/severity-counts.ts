import type { RootDeps } from '../../../deps.ts'
import { type Severity, severities } from '../../../findings/scales.ts'
import type { ListScope, VulnerabilityFilter } from '../filter.ts'
import { openCachedList } from '../list.ts'

/**
 * Returns the number of vulnerabilities of each severity that match the filter. A number is undefined for a long list
 * without exact counts.
 */
export async function countBySeverity(
  deps: RootDeps,
  scope: ListScope,
  filter: VulnerabilityFilter,
): Promise<Map<Severity, number | undefined>> {
  const counts = new Map<Severity, number | undefined>()
  for (const severity of severities) {
    const isWanted = !filter.severities || filter.severities.includes(severity)
    const query = { scope, filter: { ...filter, severities: [severity] }, sort: 'severity_desc' } as const
    counts.set(severity, isWanted ? (await openCachedList(deps, query)).total : 0)
  }
  return counts
}
