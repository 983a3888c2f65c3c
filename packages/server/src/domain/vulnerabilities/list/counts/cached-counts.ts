import { perDatabase } from '../../../../db/cache.ts'
import { weightedLru } from '../../../../platform/weighted-lru.ts'
import type { RootDeps } from '../../../deps.ts'
import { type FacetCount, listFacetCounts } from '../facet-count-queries.ts'
import type { ListScope } from '../filter.ts'

export const facetTables = ['vulnerabilities', 'vulnerability_counts', 'scanners']
/** About 50 MB. The counts of a list of 4,000 projects are about 100,000. */
const maxCachedCounts = 250_000
/** Weight of a list without its counts, because each selection of projects has one. */
const overheadCounts = 5

const caches = perDatabase(() =>
  weightedLru<{ version: number; counts: FacetCount[] }>(
    maxCachedCounts,
    ({ counts }) => counts.length + overheadCounts,
  ),
)

/** Returns the facet counts of a list. After changes in a few of its projects, only their counts are read again. */
export async function cachedFacetCounts({ db }: RootDeps, scope: ListScope): Promise<FacetCount[]> {
  const cache = caches(db)
  // Read the version first: a concurrent write then makes the new entry outdated, instead of hiding the change.
  const version = db.changes.version(facetTables, onlyProjectOf(scope))
  const cached = version === undefined ? undefined : cache.get(scope.key)
  if (cached && cached.version === version) return cached.counts
  const changed =
    cached && scope.projectIds.length > 1 ? db.changes.changedProjects(facetTables, cached.version) : undefined
  const counts =
    cached && changed
      ? await replaceCounts(db, cached.counts, within(scope, changed))
      : await listFacetCounts(db, scope.projectIds)
  if (version !== undefined) cache.set(scope.key, { version, counts })
  return counts
}

/** Returns the project of a scope with one project; other scopes change with each of theirs. */
export const onlyProjectOf = ({ projectIds }: ListScope) => (projectIds.length === 1 ? projectIds[0] : undefined)

const within = ({ projectIds }: ListScope, changed: readonly number[]) =>
  changed.filter((projectId) => projectIds.includes(projectId))

async function replaceCounts(
  db: RootDeps['db'],
  counts: FacetCount[],
  changed: readonly number[],
): Promise<FacetCount[]> {
  if (changed.length === 0) return counts
  const isChanged = new Set(changed)
  const unchanged = counts.filter(({ projectId }) => !isChanged.has(projectId))
  // The order of `listFacetCounts`: sorting keeps that of a project.
  return [...unchanged, ...(await listFacetCounts(db, changed))].sort((a, b) => a.projectId - b.projectId)
}
