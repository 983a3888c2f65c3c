import type { Deps } from '../deps.ts'
import type { Namespace, Project } from '../projects/project.ts'
import { findProjectById } from '../projects/project-queries.ts'
import { findMovedGroupId, findMovedProjectId } from './moved-path-queries.ts'
import { findNamespaceById } from './namespace-queries.ts'

/** The project that was at this path until it was renamed or transferred; only when nothing is there now. */
export async function findMovedProject(deps: Deps, reference: string): Promise<Project | undefined> {
  if (!reference.includes('/')) return undefined
  // Without an id the second question is asked as well: whether there was one is not to be told by time.
  return findProjectById(deps.db, (await findMovedProjectId(deps.db, reference)) ?? 0)
}

/** The same for a group. */
export async function findMovedGroup(deps: Deps, reference: string): Promise<Namespace | undefined> {
  return findNamespaceById(deps.db, (await findMovedGroupId(deps.db, reference)) ?? 0)
}
