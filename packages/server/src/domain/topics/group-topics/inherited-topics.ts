import type { Db } from '../../../db/db.ts'
import { forEachBatch } from '../../batches.ts'
import type { Deps } from '../../deps.ts'
import { lineageOf, type Namespace } from '../../namespaces/namespace.ts'
import { listProjectIdsBelow } from '../../projects/projects.ts'
import { recount } from '../assignment.ts'
import { type Assignment, listAssignments } from '../topic-queries.ts'
import {
  insertInherited,
  listGroupTopics,
  listPlacedProjects,
  type ProjectTopic,
  removeInherited,
} from './group-topic-queries.ts'

/** Difference between the topics that projects inherit and those that their groups have. */
export interface InheritancePlan {
  added: ProjectTopic[]
  removed: ProjectTopic[]
  /** Topics of the projects before the change. */
  assignments: Assignment[]
}

/**
 * Makes projects inherit the topics of their groups, after they were created or moved. Runs in the transaction of that
 * change, which holds the locks of the groups.
 */
export async function inheritTopics(deps: Deps, projectIds: readonly number[]): Promise<void> {
  await applyInheritance(deps, await planInheritance(deps, projectIds))
}

/** Does the same for all projects in these groups and their subgroups. */
export async function inheritTopicsIn(deps: Deps, groups: readonly Pick<Namespace, 'id' | 'lineage'>[]): Promise<void> {
  if (groups.length === 0) return
  await inheritTopics(deps, [...new Set(await listProjectIdsBelow(deps.db, groups))])
}

/** Returns how many inherited topics of a project are missing or no longer those of its groups. */
export async function countWronglyInherited(db: Db, projectId: number): Promise<number> {
  const { added, removed } = await planInheritance({ db }, [projectId])
  return added.length + removed.length
}

/** Returns what changes when the projects inherit what their groups have, one of the groups with other topics if given. */
export async function planInheritance(
  deps: Pick<Deps, 'db'>,
  projectIds: readonly number[],
  changed?: { groupId: number; topicIds: readonly number[] },
): Promise<InheritancePlan> {
  const projects = await listPlacedProjects(deps.db, projectIds)
  const groupIds = [...new Set(projects.flatMap(lineageOf))]
  const stored = await listGroupTopics(deps.db, groupIds)
  const topicsOf = idsBy(stored.map(({ groupId, topicId }) => [groupId, topicId]))
  if (changed) topicsOf.set(changed.groupId, new Set(changed.topicIds))
  const assignments = await listAssignments(deps.db, projectIds)
  const inherited = idsBy(assignments.flatMap((row) => (row.inherited ? [[row.projectId, row.topicId]] : [])))
  const plan: InheritancePlan = { added: [], removed: [], assignments }
  for (const project of projects) {
    const { projectId } = project
    const had = inherited.get(projectId) ?? none
    const has = new Set(lineageOf(project).flatMap((id) => [...(topicsOf.get(id) ?? none)]))
    for (const topicId of has) if (!had.has(topicId)) plan.added.push({ projectId, topicId })
    for (const topicId of had) if (!has.has(topicId)) plan.removed.push({ projectId, topicId })
  }
  return plan
}

export async function applyInheritance(deps: Deps, { added, removed }: InheritancePlan): Promise<void> {
  await forEachBatch(removed, (rows) => removeInherited(deps.db, rows))
  await forEachBatch(added, (rows) => insertInherited(deps.db, rows))
  await recount(deps, [...new Set([...added, ...removed].map(({ topicId }) => topicId))])
}

const none: ReadonlySet<number> = new Set()

function idsBy(pairs: readonly (readonly number[])[]): Map<number, Set<number>> {
  const sets = new Map<number, Set<number>>()
  for (const [key = 0, id = 0] of pairs) {
    const known = sets.get(key)
    if (known) known.add(id)
    else sets.set(key, new Set([id]))
  }
  return sets
}
