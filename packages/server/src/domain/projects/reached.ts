import type { Deps } from '../deps.ts'
import type { Namespace } from '../namespaces/namespace.ts'
import { findNamespaceById } from '../namespaces/namespaces.ts'
import { findTopicIds } from './project-list.ts'
import { listProjectIdsReached } from './project-queries.ts'
import type { Visitor } from './visible.ts'

/** Projects among those that a caller reaches. Absent fields match everything. */
export interface ProjectReach {
  /** A group with its subgroups. */
  group?: Namespace | undefined
  /** Topic names as sent; a project must have all of them. */
  topics?: readonly string[] | undefined
}

/** Tables that the result depends on. */
export const reachTables = [
  ...['projects', 'namespaces', 'members', 'organizations'],
  ...['topics', 'topic_names', 'project_topics'],
] as const

/** Returns the projects in which the caller has at least this level, directly or by inheritance; all for administrators. */
export async function listReachedProjectIds(
  deps: Deps,
  caller: Visitor,
  least: number,
  { group, topics = [] }: ProjectReach,
): Promise<number[]> {
  const topicIds = await findTopicIds(deps, { topics })
  if (!topicIds) return []
  const today = deps.now().slice(0, 10)
  const member = caller.isAdmin ? undefined : { userId: caller.user.id, level: least, today }
  return listProjectIdsReached(deps.db, { within: group, member, topics: topicIds })
}

/** Returns whether a project is in a group or its subgroups and has all topics. */
export async function isProjectIn(
  deps: Deps,
  projectId: number,
  { groupId, topics = [] }: { groupId?: number | undefined; topics?: readonly string[] | undefined },
): Promise<boolean> {
  const within = groupId === undefined ? undefined : await findNamespaceById(deps.db, groupId)
  if (groupId !== undefined && !within) return false
  const topicIds = await findTopicIds(deps, { topics })
  if (!topicIds) return false
  return (await listProjectIdsReached(deps.db, { within, topics: topicIds, ids: [projectId] })).length > 0
}
