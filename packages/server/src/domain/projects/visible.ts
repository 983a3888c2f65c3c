import { type Cache, openCache } from '../../db/cache.ts'
import type { Changes } from '../../db/db.ts'
import { type BatchLoader, openBatchLoader } from '../../platform/batch-loader.ts'
import type { Caller } from '../access/callers.ts'
import { roles, type Visibility } from '../access/roles.ts'
import type { Deps } from '../deps.ts'
import { findAccessLevel, isMemberBelow } from '../members/memberships.ts'
import { lineageOf, type Namespace } from '../namespaces/namespace.ts'
import { findNamespaceById, findNamespaceByPath } from '../namespaces/namespaces.ts'
import type { Project } from './project.ts'
import { findProjectById, findProjectByPath, listProjectsById } from './project-queries.ts'

/** Caller without the token. */
export type Visitor = Pick<Caller, 'user' | 'isAdmin'>

/** A process's caches of projects, groups and access levels. */
export interface ProjectCache {
  projects: Cache<Project | undefined>
  /** Reads projects by id, for concurrent requests with one statement. */
  readProjects: BatchLoader<number, Project>
  groups: Cache<Namespace | undefined>
  levels: Cache<number>
  insiders: Cache<boolean>
}

export function openProjectCache(changes: Changes): ProjectCache {
  return {
    projects: openCache(changes, ['projects', 'namespaces'], 10_000),
    readProjects: openBatchLoader(),
    groups: openCache(changes, ['namespaces'], 10_000),
    levels: openCache(changes, ['members', 'namespaces', 'projects'], 50_000),
    insiders: openCache(changes, ['members', 'namespaces', 'projects'], 10_000),
  }
}

/**
 * Finds a project by id (all digits) or by full path (contains a slash), ignoring case. With a cache, it must not be called
 * inside a transaction.
 */
export async function findProject(deps: Deps, reference: string, cache?: ProjectCache): Promise<Project | undefined> {
  const load = () => loadProject(deps, reference, cache)
  return cache ? cache.projects.get(reference, load) : load()
}

/** Like `findProject`, but reads a cached project as well. */
export async function loadProject({ db }: Deps, reference: string, cache?: ProjectCache): Promise<Project | undefined> {
  if (!/^-?\d+$/.test(reference)) return reference.includes('/') ? findProjectByPath(db, reference) : undefined
  const id = Number(reference)
  if (!Number.isSafeInteger(id)) return undefined
  if (!cache) return findProjectById(db, id)
  const found = await cache.readProjects(cache.projects.version()?.toString(), [id], async (ids) => {
    const projects = await listProjectsById(db, ids)
    return new Map(projects.map((project) => [project.id, project]))
  })
  return found.get(id)
}

/** Finds a group by id or full path. */
export async function findGroup(deps: Deps, reference: string, cache?: ProjectCache): Promise<Namespace | undefined> {
  const load = async (): Promise<Namespace | undefined> => {
    const found = await findNamespace(deps, reference)
    return found?.kind === 'group' ? found : undefined
  }
  return cache ? cache.groups.get(reference, load) : load()
}

export async function findNamespace(deps: Deps, reference: string): Promise<Namespace | undefined> {
  if (!/^-?\d+$/.test(reference)) return findNamespaceByPath(deps.db, reference)
  const id = Number(reference)
  return Number.isSafeInteger(id) ? findNamespaceById(deps.db, id) : undefined
}

/** Placeholder for a missing resource, on which the same queries run, so that response times do not reveal it. */
export const nowhere = { id: 0, lineage: '', visibility: 'private' } as const

/**
 * Returns the caller's direct or inherited access level in the project. Administrators count as owners; anonymous
 * requests have level 0. Without a project it returns 0 for other users, after the same queries.
 */
export function projectLevel(
  deps: Deps,
  project: Project | undefined,
  caller: Visitor | null,
  cache?: ProjectCache,
): Promise<number> {
  return level(deps, caller, { namespace: project?.namespace ?? nowhere, projectId: project?.id ?? 0 }, cache)
}

export function groupLevel(
  deps: Deps,
  group: Namespace | undefined,
  caller: Visitor | null,
  cache?: ProjectCache,
): Promise<number> {
  return level(deps, caller, { namespace: group ?? nowhere, projectId: null }, cache)
}

interface Place {
  namespace: Pick<Namespace, 'id' | 'lineage'>
  projectId: number | null
}

async function level(deps: Deps, caller: Visitor | null, place: Place, cache?: ProjectCache): Promise<number> {
  if (!caller) return 0
  if (caller.isAdmin) return roles.owner
  const today = deps.now().slice(0, 10)
  const key = levelKey(caller, place, today)
  const load = () =>
    findAccessLevel(deps.db, caller.user.id, {
      namespaceIds: lineageOf(place.namespace),
      projectId: place.projectId,
      today,
    })
  return cache && !isNowhere(place.namespace) ? cache.levels.get(key, load) : load()
}

const levelKey = ({ user }: Visitor, { namespace, projectId }: Place, today: string) =>
  `${user.id}:${namespace.id}:${projectId}:${today}`

/** Nothing is cached for a missing resource, so that requests for it always execute the same queries. */
const isNowhere = ({ id }: { id: number }): boolean => id === nowhere.id

/** Returns true if the caller's access level is cached, so that the next request does not read it. */
export function isLevelCached(deps: Deps, caller: Visitor | null, place: Place, cache?: ProjectCache): boolean {
  if (!caller || caller.isAdmin) return false
  return cache?.levels.peek(levelKey(caller, place, deps.now().slice(0, 10))) !== undefined
}

/** Returns true when a caller with this access level can read a resource of this visibility. */
export function isVisible(visibility: Visibility, caller: Visitor | null, callerLevel: number): boolean {
  if (callerLevel >= roles.guest || visibility === 'public') return true
  return visibility === 'internal' && caller !== null && !caller.user.isExternal
}

/** Returns true when the caller can read the group, or is a member of anything in it. */
export async function isGroupVisible(
  deps: Deps,
  group: Pick<Namespace, 'id' | 'lineage' | 'visibility'>,
  { caller, callerLevel }: { caller: Visitor | null; callerLevel: number },
  cache?: ProjectCache,
): Promise<boolean> {
  if (isVisible(group.visibility, caller, callerLevel)) return true
  if (!caller) return false
  const today = deps.now().slice(0, 10)
  const load = () => isMemberBelow(deps.db, group, caller.user.id, today)
  return cache && !isNowhere(group) ? cache.insiders.get(insiderKey(caller, group, today), load) : load()
}

const insiderKey = ({ user }: Visitor, { id }: { id: number }, today: string) => `${user.id}:${id}:${today}`

/** Returns true if it is cached whether the caller is a member of anything in the group. */
export function isInsiderCached(
  deps: Deps,
  caller: Visitor | null,
  group: Pick<Namespace, 'id'>,
  cache?: ProjectCache,
): boolean {
  if (!caller) return false
  return cache?.insiders.peek(insiderKey(caller, group, deps.now().slice(0, 10))) !== undefined
}

/** Returns the visibilities whose resources are all included in the caller's lists, regardless of membership. */
export function openVisibilities(caller: Visitor | null): readonly Visibility[] {
  if (caller?.isAdmin) return ['public', 'internal', 'private']
  return caller && !caller.user.isExternal ? ['public', 'internal'] : ['public']
}
