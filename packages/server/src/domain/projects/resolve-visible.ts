import type { Deps } from '../deps.ts'
import { findMovedGroupId, findMovedProjectId } from '../namespaces/moved-paths.ts'
import type { Namespace } from '../namespaces/namespace.ts'
import { findNamespaceById } from '../namespaces/namespaces.ts'
import type { Project } from './project.ts'
import { findProjectById } from './project-queries.ts'
import {
  findGroup,
  findProject,
  groupLevel,
  isGroupVisible,
  isInsiderCached,
  isLevelCached,
  isVisible,
  loadProject,
  nowhere,
  type ProjectCache,
  projectLevel,
  type Visitor,
} from './visible.ts'

/*
 * Resolves the project or group that a request names, if the caller may see it. Runs the same number of database
 * queries whether the resource is hidden, has moved or does not exist, so that response times do not distinguish these
 * cases. Nothing is cached for absent resources; therefore everything that was cached for a hidden resource is queried
 * again, bypassing the cache.
 */

/** Resource that was found, with the caller's access level in it. */
export interface Resolved<T> {
  found: T
  level: number
  /** True when the reference is a former path of the resource. */
  hasMoved: boolean
}

export async function resolveVisibleProject(
  deps: Deps,
  caller: Visitor | null,
  reference: string,
  cache?: ProjectCache,
): Promise<Resolved<Project> | undefined> {
  const cached = cache?.projects.peek(reference)
  const here = cached ?? (await findProject(deps, reference, cache))
  const place = { namespace: here?.namespace ?? nowhere, projectId: here?.id ?? 0 }
  const wasLevelCached = isLevelCached(deps, caller, place, cache)
  const level = await projectLevel(deps, here, caller, cache)
  if (here && isVisible(here.visibility, caller, level)) return { found: here, level, hasMoved: false }

  if (cached) await loadProject(deps, reference, cache)
  if (wasLevelCached) await projectLevel(deps, here, caller)
  const was = await findMovedProject(deps, reference)
  const levelThere = await projectLevel(deps, was, caller)
  if (here || !was || !isVisible(was.visibility, caller, levelThere)) return undefined
  return { found: was, level: levelThere, hasMoved: true }
}

export async function resolveVisibleGroup(
  deps: Deps,
  caller: Visitor | null,
  reference: string,
  cache?: ProjectCache,
): Promise<Resolved<Namespace> | undefined> {
  const isCached = cache?.groups.peek(reference) !== undefined
  const here = await findGroup(deps, reference, cache)
  const group = here ?? nowhere
  const wasLevelCached = isLevelCached(deps, caller, { namespace: group, projectId: null }, cache)
  const wasInsiderCached = isInsiderCached(deps, caller, group, cache)
  const level = await groupLevel(deps, here, caller, cache)
  const isSeen = await isGroupVisible(deps, group, { caller, callerLevel: level }, cache)
  if (here && isSeen) return { found: here, level, hasMoved: false }

  if (isCached) await findGroup(deps, reference)
  if (wasLevelCached) await groupLevel(deps, here, caller)
  if (wasInsiderCached) await isGroupVisible(deps, group, { caller, callerLevel: level })
  const was = await findMovedGroup(deps, reference)
  const levelThere = await groupLevel(deps, was, caller)
  const isSeenThere = await isGroupVisible(deps, was ?? nowhere, { caller, callerLevel: levelThere })
  return !here && was && isSeenThere ? { found: was, level: levelThere, hasMoved: true } : undefined
}

/**
 * Returns the project that had this path before it was renamed or transferred, if no other project has the path now.
 */
async function findMovedProject({ db }: Deps, reference: string): Promise<Project | undefined> {
  if (!reference.includes('/')) return undefined
  // Runs the second query even without an id, so that the response time does not reveal whether a redirect exists.
  return findProjectById(db, (await findMovedProjectId(db, reference)) ?? 0)
}

/** Returns the group that had this path before it was renamed or moved. */
async function findMovedGroup({ db }: Deps, reference: string): Promise<Namespace | undefined> {
  return findNamespaceById(db, (await findMovedGroupId(db, reference)) ?? 0)
}
