import type { Deps } from '../deps.ts'
import { findMovedGroupId, findMovedProjectId } from './moved-path-queries.ts'
import { findNamespaceById } from './namespace-queries.ts'
import type { Namespace, Project } from './project.ts'
import { findProjectById } from './project-queries.ts'

/** The project that was at this path until it was renamed or transferred; only when nothing is there now. */
export async function findMovedProject(deps: Deps, reference: string): Promise<Project | undefined> {
  if (!reference.includes('/')) return undefined
  const id = await findMovedProjectId(deps.db, reference)
  return id === undefined ? undefined : findProjectById(deps.db, id)
}

/** The same for a group. */
export async function findMovedGroup(deps: Deps, reference: string): Promise<Namespace | undefined> {
  const id = await findMovedGroupId(deps.db, reference)
  return id === undefined ? undefined : findNamespaceById(deps.db, id)
}
