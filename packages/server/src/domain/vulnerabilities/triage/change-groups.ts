import type { Deps } from '../../deps.ts'
import type { Project } from '../../projects/project.ts'
import type { User } from '../../users/user.ts'
import { recordBulk } from './audited-decisions.ts'
import { changeSelected } from './bulk/bulk.ts'
import { finishBulk, insertBulk } from './bulk/bulk-queries.ts'
import type { Change } from './change.ts'

/**
 * Changes groups of vulnerabilities of a project in the calling transaction. No vulnerability may be in two groups. The
 * groups with the same action are one bulk change, which can be undone; returns the ids of the bulk changes.
 */
export async function changeGroups(
  deps: Deps,
  project: Project,
  user: User,
  groups: readonly { change: Change; ids: readonly number[] }[],
): Promise<number[]> {
  const now = deps.now()
  const bulkIds: number[] = []
  for (const action of [...new Set(groups.map(({ change }) => change.action))].sort()) {
    const ofAction = groups.filter(({ change }) => change.action === action)
    const id = await insertBulk(deps.db, { projectId: project.id, userId: user.id, action, now })
    let changed = 0
    let requested = 0
    let total = 0
    for (const { change, ids } of ofAction) {
      const inOrder = ids.toSorted((a, b) => a - b)
      const done = await changeSelected(deps, project, inOrder, { change, userId: user.id, now, bulkId: id })
      changed += done.changed
      requested += done.requested
      total += ids.length
    }
    await finishBulk(deps.db, id, { changed, requested, unchanged: total - changed - requested })
    if (ofAction[0]) await recordBulk(deps, project, { change: ofAction[0].change, id, changed })
    bulkIds.push(id)
  }
  return bulkIds
}
