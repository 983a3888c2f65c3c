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
 * What a request names, for somebody who may know of it. Whether something is hidden, was at this path once or never
 * was there, the database is asked as many questions: the time of a refusal tells none from the others. What is not there
 * is never remembered, so what is remembered and hidden is looked up again; and the second look is not remembered.
 */

/** What was found, and the caller's level in it. */
export interface Sighted<T> {
  found: T
  level: number
  /** It was at this path until it moved. */
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
