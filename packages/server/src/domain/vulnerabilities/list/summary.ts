import type { RootDeps } from '../../deps.ts'
import { cachedFacetCounts } from './counts/cached-counts.ts'
import type { ListScope, VulnerabilityFilter } from './filter.ts'
import { openCachedList } from './list.ts'

export interface ListSummary {
  /** Undefined for long lists without exact counts. */
  total: number | undefined
  /** Available filter values regardless of the filter, most frequent first. */
  scanners: { externalId: string; name: string; total: number }[]
  reportTypes: { name: string; total: number }[]
}

/** Returns the total of a filtered list and the available filter values. */
export async function summarizeList(
  deps: RootDeps,
  scope: ListScope,
  filter: VulnerabilityFilter,
): Promise<ListSummary> {
  const { total } = await openCachedList(deps, { scope, filter, sort: 'severity_desc' })
  const scanners = new Map<string, { name: string; total: number }>()
  const reportTypes = new Map<string, { name: string; total: number }>()
  for (const count of await cachedFacetCounts(deps, scope)) {
    if (!count.isOnDefaultBranch) continue
    if (count.scanner !== null) addTo(scanners, count.scanner, count.scannerName ?? count.scanner, count.total)
    addTo(reportTypes, count.reportType, count.reportType, count.total)
  }
  return {
    total,
    scanners: mostFirst([...scanners].map(([externalId, counted]) => ({ externalId, ...counted }))),
    reportTypes: mostFirst([...reportTypes.values()]),
  }
}

function addTo(counts: Map<string, { name: string; total: number }>, key: string, name: string, total: number): void {
  counts.set(key, { name, total: total + (counts.get(key)?.total ?? 0) })
}

function mostFirst<T extends { name: string; total: number }>(rows: T[]): T[] {
  return rows.sort((a, b) => b.total - a.total || (a.name < b.name ? -1 : 1))
}
