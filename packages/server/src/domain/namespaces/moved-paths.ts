import type { Deps } from '../deps.ts'
import type { Project } from '../projects/project.ts'
import {
  deleteMovedPaths,
  findMovedGroupId,
  findMovedProjectId,
  insertMovedNamespace,
  insertMovedProject,
} from './moved-path-queries.ts'
import type { Namespace } from './namespace.ts'

export { findMovedGroupId, findMovedProjectId }

/** Deletes the redirects from a path and all paths below it, because a project or namespace now has that path. */
export async function removeMovedPaths({ db }: Deps, fullPath: string): Promise<void> {
  await deleteMovedPaths(db, fullPath)
}

/** Redirects the old path of a renamed or transferred project to its new one. */
export async function redirectProject({ db, now }: Deps, before: Project, after: Project): Promise<void> {
  if (after.fullPath.toLowerCase() === before.fullPath.toLowerCase()) return
  await deleteMovedPaths(db, after.fullPath)
  await insertMovedProject(db, before.id, before.fullPath, now())
}

/** Redirects the old paths of a renamed namespace and of everything below it, which already has its new paths. */
export async function redirectNamespace({ db, now }: Deps, before: Namespace, after: Namespace): Promise<void> {
  if (after.fullPath.toLowerCase() === before.fullPath.toLowerCase()) return
  await deleteMovedPaths(db, after.fullPath)
  await insertMovedNamespace(db, after, before.fullPath, now())
}
