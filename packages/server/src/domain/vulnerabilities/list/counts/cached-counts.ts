import { setImmediate } from 'node:timers/promises'
import { perDatabase } from '../../../../db/cache.ts'
import type { Database } from '../../../../db/db.ts'
import { weightedLru } from '../../../../platform/weighted-lru.ts'
import type { RootDeps } from '../../../deps.ts'
import { groupBy } from '../../../group-by.ts'
import { type FacetCount, listFacetCounts } from '../facet-count-queries.ts'
import type { ListScope } from '../filter.ts'

/** Tables from which facet counts are read. */
const countTables = ['vulnerability_counts', 'scanners']
/** Also includes the table whose rows are counted. */
export const facetTables = ['vulnerabilities', ...countTables]
/** About 70 MB. A project has about 25 counts. */
const maxCachedCounts = 500_000
/** Maximum number of counts in lists of several projects. Each takes 8 bytes, because lists refer to the counts of projects. */
const maxListedCounts = 1_000_000
/** Weight of a project or a list without its counts. */
const overheadCounts = 5
/** Number of projects whose counts one statement reads. */
const projectsPerBatch = 500

interface CachedCounts {
  version: number
  counts: readonly FacetCount[]
}

const weightOf = (counts: readonly FacetCount[]) => counts.length + overheadCounts
const openLists = (version: number | undefined) => ({
  version,
  byKey: weightedLru<readonly FacetCount[]>(maxListedCounts, weightOf),
})
const caches = perDatabase(() => ({
  projects: weightedLru<CachedCounts>(maxCachedCounts, ({ counts }) => weightOf(counts)),
  lists: openLists(undefined),
}))

/** Returns the facet counts of a list. After changes in a few of its projects, only their counts are read again. */
export async function cachedFacetCounts({ db }: RootDeps, scope: ListScope): Promise<readonly FacetCount[]> {
  const projectId = onlyProjectOf(scope)
  if (projectId !== undefined) return (await countsOfProjects(db, [projectId])).get(projectId) ?? []
  const cache = caches(db)
  // Read the version first: a concurrent write then makes the new entry outdated, instead of hiding the change.
  const version = db.changes.version(countTables)
  // Outdated lists would keep the former counts of their projects in memory.
  if (version !== cache.lists.version) cache.lists = openLists(version)
  const { byKey } = cache.lists
  const cached = version === undefined ? undefined : byKey.get(scope.key)
  if (cached) return cached
  const found = await countsOfProjects(db, scope.projectIds)
  // The order of `listFacetCounts`.
  const counts = [...found.keys()].sort((a, b) => a - b).flatMap((id) => found.get(id) ?? [])
  if (version !== undefined) byKey.set(scope.key, counts)
  return counts
}

/** Returns the project of a scope with one project; other scopes change with each of theirs. */
export const onlyProjectOf = ({ projectIds }: ListScope) => (projectIds.length === 1 ? projectIds[0] : undefined)

/** Returns the counts of each project, from the cache or the database. */
async function countsOfProjects(
  db: Database,
  projectIds: readonly number[],
): Promise<ReadonlyMap<number, readonly FacetCount[]>> {
  const { projects } = caches(db)
  const found = new Map<number, readonly FacetCount[]>()
  const missing: number[] = []
  for (const id of projectIds) {
    const cached = projects.get(`${id}`)
    if (cached && cached.version === db.changes.version(countTables, id)) found.set(id, cached.counts)
    else missing.push(id)
  }
  for (let start = 0; start < missing.length; start += projectsPerBatch) {
    if (start > 0) await setImmediate()
    const batch = missing.slice(start, start + projectsPerBatch)
    const versions = batch.map((id) => db.changes.version(countTables, id))
    const read = groupBy(await listFacetCounts(db, batch), ({ projectId }) => projectId)
    for (const [index, id] of batch.entries()) {
      const counts = read.get(id) ?? []
      found.set(id, counts)
      const version = versions[index]
      if (version !== undefined) projects.set(`${id}`, { version, counts })
    }
  }
  return found
}
