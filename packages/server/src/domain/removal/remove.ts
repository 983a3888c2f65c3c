import { deleteUser } from '../access/user-queries.ts'
import type { User } from '../access/users.ts'
import { type Deps, transaction } from '../deps.ts'
import { deleteNamespace, listOwnNamespaces } from '../projects/namespace-queries.ts'
import type { Namespace, Project } from '../projects/project.ts'
import { deleteProject, listProjectIdsBelow, listStarredProjectIds, recountStars } from '../projects/project-queries.ts'
import { recount, topicsOfProjects } from '../topics/assignment.ts'
import { listObjectKeys } from '../uploads/queries.ts'

/** A project with everything it owns: rows in one transaction, then its files. */
export function removeProject(deps: Deps, project: Project): Promise<void> {
  return remove(deps, async (deps) => ({
    projectIds: [project.id],
    deleteRows: async () => void (await deleteProject(deps.db, project.id)),
  }))
}

/** A group with its subgroups and all their projects. */
export function removeGroup(deps: Deps, group: Namespace): Promise<void> {
  return remove(deps, async (deps) => ({
    projectIds: await listProjectIdsBelow(deps.db, [group]),
    deleteRows: async () => void (await deleteNamespace(deps.db, group.id)),
  }))
}

/** A user with his own namespace and its projects; what he uploaded or wrote elsewhere stays. */
export function removeUser(deps: Deps, user: User): Promise<void> {
  return remove(deps, async (deps) => {
    const starredIds = await listStarredProjectIds(deps.db, user.id)
    return {
      projectIds: await listProjectIdsBelow(deps.db, await listOwnNamespaces(deps.db, user.id)),
      async deleteRows() {
        await deleteUser(deps.db, user.id)
        await recountStars(deps.db, starredIds)
      },
    }
  })
}

interface Removal {
  projectIds: number[]
  deleteRows(): Promise<void>
}

/** Files go after the rows: a crash in between leaves objects that nothing refers to, and those are swept. */
async function remove(deps: Deps, plan: (deps: Deps) => Promise<Removal>): Promise<void> {
  const objectKeys = await transaction(deps, async (deps) => {
    const { projectIds, deleteRows } = await plan(deps)
    const [topicIds, objectKeys] = [await topicsOfProjects(deps, projectIds), await listObjectKeys(deps.db, projectIds)]
    await deleteRows()
    await recount(deps, topicIds)
    return objectKeys
  })
  for (const key of objectKeys) await deps.objects.remove(key)
}
