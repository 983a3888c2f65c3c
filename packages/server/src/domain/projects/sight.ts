import type { Deps } from '../deps.ts'
import { findMovedGroup, findMovedProject } from '../namespaces/moved-paths.ts'
import type { Namespace, Project } from './project.ts'
import {
  findGroup,
  findProject,
  groupLevel,
  isGroupVisible,
  isVisible,
  nowhere,
  type ProjectMemory,
  projectLevel,
  type Visitor,
} from './visible.ts'

/*
 * Resolves the project or group that a request names, if the caller may see it. Runs the same number of database
 * queries whether the resource is hidden, has moved or does not exist, so that response times do not distinguish these
 * cases. Absent resources are never cached; therefore a cached but hidden resource is queried again, bypassing the
 * cache.
 */

/** Resource that was found, with the caller's access level in it. */
export interface Sighted<T> {
  found: T
  level: number
  /** True when the reference is a former path of the resource. */
  hasMoved: boolean
}

export async function sightProject(
  deps: Deps,
  caller: Visitor | null,
  reference: string,
  memory?: ProjectMemory,
): Promise<Sighted<Project> | undefined> {
  const isRemembered = memory?.projects.peek(reference) !== undefined
  const here = await findProject(deps, reference, memory)
  const level = await projectLevel(deps, here, caller, memory)
  if (here && isVisible(here.visibility, caller, level)) return { found: here, level, hasMoved: false }

  if (isRemembered) await findProject(deps, reference)
  const was = await findMovedProject(deps, reference)
  const levelThere = await projectLevel(deps, was, caller)
  if (here || !was || !isVisible(was.visibility, caller, levelThere)) return undefined
  return { found: was, level: levelThere, hasMoved: true }
}

export async function sightGroup(
  deps: Deps,
  caller: Visitor | null,
  reference: string,
  memory?: ProjectMemory,
): Promise<Sighted<Namespace> | undefined> {
  const isRemembered = memory?.groups.peek(reference) !== undefined
  const here = await findGroup(deps, reference, memory)
  const level = await groupLevel(deps, here, caller, memory)
  const isSeen = await isGroupVisible(deps, here ?? nowhere, caller, level, memory)
  if (here && isSeen) return { found: here, level, hasMoved: false }

  if (isRemembered) await findGroup(deps, reference)
  const was = await findMovedGroup(deps, reference)
  const levelThere = await groupLevel(deps, was, caller)
  const isSeenThere = await isGroupVisible(deps, was ?? nowhere, caller, levelThere)
  return !here && was && isSeenThere ? { found: was, level: levelThere, hasMoved: true } : undefined
}
