import { setImmediate } from 'node:timers/promises'
import { perDatabase } from '../../db/cache.ts'
import type { RootDeps } from '../deps.ts'
import { countResolved, findNewestId, type Interval, listNewCounts } from './digest-queries.ts'

/** Changes of a project's vulnerabilities on the default branch in an interval. */
export interface ProjectChanges {
  fresh: number
  critical: number
  high: number
  resolved: number
}

export const noChanges: ProjectChanges = { fresh: 0, critical: 0, high: 0, resolved: 0 }

const idsPerStatement = 5_000

/** Changes by interval. All readers of a digest share them. */
const kept = perDatabase(() => new Map<string, Promise<ReadonlyMap<number, ProjectChanges>>>())

/** Returns the changes of every project that has any. */
export function countChanges(deps: RootDeps, interval: Interval): Promise<ReadonlyMap<number, ProjectChanges>> {
  const held = kept(deps.db)
  const key = `${interval.from} ${interval.until}`
  const known = held.get(key)
  if (known !== undefined) return known
  const counted = count(deps, interval)
  held.clear()
  held.set(key, counted)
  // A failed count is repeated by the next message.
  counted.catch(() => held.delete(key))
  return counted
}

async function count(deps: RootDeps, interval: Interval): Promise<ReadonlyMap<number, ProjectChanges>> {
  const changes = new Map<number, ProjectChanges>()
  const add = (projectId: number, more: Partial<ProjectChanges>) => {
    const known = changes.get(projectId) ?? noChanges
    changes.set(projectId, {
      fresh: known.fresh + (more.fresh ?? 0),
      critical: known.critical + (more.critical ?? 0),
      high: known.high + (more.high ?? 0),
      resolved: known.resolved + (more.resolved ?? 0),
    })
  }
  // Ids grow with time, so new vulnerabilities are read from the end without an index on their times.
  for (let below = (await findNewestId(deps.db)) + 1; below > 1; below -= idsPerStatement) {
    const { rows, oldest } = await listNewCounts(deps.db, { below, from: below - idsPerStatement }, interval)
    for (const { projectId, ...counts } of rows) add(projectId, counts)
    if (oldest !== null && oldest <= interval.from) break
    await setImmediate()
  }
  for (const { projectId, resolved } of await countResolved(deps.db, interval)) add(projectId, { resolved })
  return changes
}
