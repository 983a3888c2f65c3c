import type { Deps } from '../deps.ts'
import type { Project } from '../projects/project.ts'
import { findProjectById } from '../projects/project-queries.ts'
import { findMovedGroupId, findMovedProjectId } from './moved-path-queries.ts'
import type { Namespace } from './namespace.ts'
import { findNamespaceById } from './namespace-queries.ts'

/**
 * Returns the project that had this path before it was renamed or transferred, if no other project has the path now.
 */
export async function findMovedProject(deps: Deps, reference: string): Promise<Project | undefined> {
  if (!reference.includes('/')) return undefined
  // Runs the second query even without an id, so that the response time does not reveal whether a redirect exists.
  return findProjectById(deps.db, (await findMovedProjectId(deps.db, reference)) ?? 0)
}

/** Returns the group that had this path before it was renamed or moved. */
export async function findMovedGroup(deps: Deps, reference: string): Promise<Namespace | undefined> {
  return findNamespaceById(deps.db, (await findMovedGroupId(deps.db, reference)) ?? 0)
}
