import { hash } from 'node:crypto'
import { openCache, perDatabase } from '../../../db/cache.ts'
import { roles } from '../../access/roles.ts'
import type { Deps, RootDeps } from '../../deps.ts'
import type { Project } from '../../projects/project.ts'
import { listProjectsById } from '../../projects/projects.ts'
import { listReachedProjectIds, type ProjectReach, reachTables } from '../../projects/reached.ts'
import type { Visitor } from '../../projects/visible.ts'
import type { ListScope } from './filter.ts'

/** The projects of a list: absent fields match everything. */
interface ScopeFilter extends ProjectReach {
  projectIds?: readonly number[] | undefined
}

/** Maximum number of project ids of all cached scopes. */
const maxCachedIds = 500_000
/** Weight of a scope without its ids, which take 8 bytes each: any name of a topic makes an empty one. */
const overheadIds = 50
const scopes = perDatabase((changes) =>
  openCache<ListScope>(changes, reachTables, maxCachedIds, ({ projectIds }) => projectIds.length + overheadIds),
)

/** Returns the projects that match the filter and whose vulnerabilities the caller may read. */
export async function readableScope(
  deps: RootDeps,
  caller: Visitor,
  { projectIds, ...reach }: ScopeFilter = {},
): Promise<ListScope> {
  const { group, topics } = reach
  const reader = caller.isAdmin ? 'admin' : [caller.user.id, deps.now().slice(0, 10)]
  const key = JSON.stringify([reader, group?.id, topics])
  const readable = await scopes(deps.db).getShared(key, async () =>
    scopeOf(await listReachedProjectIds(deps, caller, roles.developer, reach)),
  )
  if (!projectIds) return readable
  const chosen = new Set(projectIds)
  return scopeOf(readable.projectIds.filter((id) => chosen.has(id)))
}

/** Returns the scope of these projects. */
export const scopeOf = (projectIds: readonly number[]): ListScope => ({
  key: `projects ${hash('sha1', projectIds.join())}`,
  projectIds,
})

/** Adds the project to each row; drops rows of projects that have been deleted meanwhile. */
export async function withProjects<Row extends { projectId: number }>(
  { db }: Deps,
  rows: readonly Row[],
): Promise<{ row: Row; project: Project }[]> {
  const ids = new Set(rows.map(({ projectId }) => projectId))
  const projects = new Map((await listProjectsById(db, [...ids])).map((project) => [project.id, project]))
  return rows.flatMap((row) => {
    const project = projects.get(row.projectId)
    return project ? [{ row, project }] : []
  })
}
