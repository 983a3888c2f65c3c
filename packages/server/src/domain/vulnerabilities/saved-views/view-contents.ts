import type { Deps } from '../../deps.ts'
import { isProjectIn } from '../../projects/reached.ts'
import { matchingAmong } from '../list/matching.ts'
import type { ViewConditions } from './saved-view.ts'
import { listConditions } from './saved-view-queries.ts'

interface Candidates {
  projectId: number
  viewIds: readonly number[]
}

/** Returns the views that contain each of a project's vulnerabilities. A view without conditions contains none. */
export async function viewsContaining(
  deps: Deps,
  { projectId, viewIds }: Candidates,
  vulnerabilityIds: readonly number[],
): Promise<ReadonlyMap<number, ReadonlySet<number>>> {
  const viewsOf = new Map(vulnerabilityIds.map((id) => [id, new Set<number>()]))
  if (viewIds.length === 0) return viewsOf
  for (const { id: viewId, conditions } of await listConditions(deps.db, viewIds)) {
    if (!conditions || !(await coversProject(deps, projectId, conditions))) continue
    const matching = await matchingAmong(deps, { projectIds: [projectId], filter: conditions.filter }, vulnerabilityIds)
    for (const id of matching) viewsOf.get(id)?.add(viewId)
  }
  return viewsOf
}

async function coversProject(
  deps: Deps,
  projectId: number,
  { projectIds, groupId, topics }: ViewConditions,
): Promise<boolean> {
  if (projectIds && !projectIds.includes(projectId)) return false
  return (groupId === undefined && !topics) || isProjectIn(deps, projectId, { groupId, topics })
}
