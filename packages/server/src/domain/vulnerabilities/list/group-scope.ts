import { hash } from 'node:crypto'
import { roles } from '../../access/roles.ts'
import type { Deps } from '../../deps.ts'
import type { Namespace } from '../../namespaces/namespace.ts'
import type { Project } from '../../projects/project.ts'
import { listProjectsById } from '../../projects/projects.ts'
import { listProjectIdsFor, type Visitor } from '../../projects/visible.ts'
import type { ListScope } from './filter.ts'
import type { VulnerabilityWithFinding } from './list.ts'

/** Returns the projects of a group, or those of the given ones, whose vulnerabilities the caller may read. */
export async function groupScope(
  deps: Deps,
  group: Namespace,
  caller: Visitor,
  projectIds?: readonly number[],
): Promise<ListScope> {
  const readable = await listProjectIdsFor(deps, group, caller, roles.developer)
  const chosen = projectIds ? readable.filter((id) => projectIds.includes(id)) : readable
  return { key: `projects ${hash('sha1', chosen.join())}`, projectIds: chosen }
}

/** Adds the project to each row; drops rows of projects that have been deleted meanwhile. */
export async function withProjects(
  { db }: Deps,
  rows: readonly VulnerabilityWithFinding[],
): Promise<(VulnerabilityWithFinding & { project: Project })[]> {
  const ids = new Set(rows.map(({ vulnerability }) => vulnerability.projectId))
  const projects = new Map((await listProjectsById(db, [...ids])).map((project) => [project.id, project]))
  return rows.flatMap((row) => {
    const project = projects.get(row.vulnerability.projectId)
    return project ? [{ ...row, project }] : []
  })
}
