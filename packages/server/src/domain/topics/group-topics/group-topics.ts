import { invalid, notFound } from '../../../platform/failure.ts'
import { groupEntity } from '../../audit/audit-event.ts'
import { recordAuditEvent } from '../../audit/record.ts'
import { type Deps, transaction } from '../../deps.ts'
import { lineageOf, type Namespace } from '../../namespaces/namespace.ts'
import { findNamespaceById, listNamespaceIdsBelow, lockNamespaces } from '../../namespaces/namespaces.ts'
import type { Project } from '../../projects/project.ts'
import { listProjectIdsBelow, listProjectsById, lockProjects } from '../../projects/projects.ts'
import type { Visitor } from '../../projects/visible.ts'
import { resolveTopicNames } from '../resolve-names.ts'
import { listTopicsById } from '../topic-queries.ts'
import { topicAudience } from '../visibility/topic-audience.ts'
import { deleteGroupTopics, insertGroupTopics, listGroupTopicNames, listGroupTopics } from './group-topic-queries.ts'
import { applyInheritance, type InheritancePlan, planInheritance } from './inherited-topics.ts'

/** Maximum number of topics per group. */
const maxGroupTopics = 100

/** Maximum number of projects below a group with topics. */
const maxInheritingProjects = 10_000

export interface GroupTopicNames {
  own: string[]
  /** Names of the topics of its parent groups. */
  inherited: string[]
}

/** Returns the topics of a group that the caller can read, in byte order. */
export async function findGroupTopics(deps: Deps, caller: Visitor | null, group: Namespace): Promise<GroupTopicNames> {
  const rows = await listGroupTopicNames(deps.db, lineageOf(group), topicAudience(deps, caller))
  const namesOf = (isOwn: boolean) =>
    [...new Set(rows.flatMap(({ groupId, name }) => ((groupId === group.id) === isOwn ? [name] : [])))].sort()
  return { own: namesOf(true), inherited: namesOf(false) }
}

interface EffectiveChange {
  project: Project
  /** Names of topics that the project did not have, neither as its own nor inherited. */
  added: string[]
  /** Names of topics that the project no longer has. */
  removed: string[]
}

export interface GroupTopicChange {
  /** Names of the group's topics after the change. */
  topics: string[]
  created: string[]
  changes: EffectiveChange[]
  unchanged: number
}

/**
 * Replaces the topics of a group, which all projects in it and its subgroups inherit, in one transaction. A dry run only
 * returns what would change. Throws `invalid({ topics })` for a name that cannot be a topic, or too many topics.
 */
export function setGroupTopics(
  deps: Deps,
  caller: Visitor,
  { id }: Namespace,
  { names, dryRun }: { names: readonly string[]; dryRun: boolean },
): Promise<GroupTopicChange> {
  return transaction(deps, async (deps) => {
    const { group, projectIds } = await lockGroupWithProjects(deps, id)
    const { organizationId } = group
    const { ids, created } = await resolveTopicNames(deps, caller, { organizationId, texts: names, dryRun })
    const total = ids.length + (dryRun ? created.length : 0)
    if (total > maxGroupTopics) throw invalid({ topics: [`are too many (maximum is ${maxGroupTopics})`] })
    if (total > 0 && projectIds.length > maxInheritingProjects) {
      throw invalid({ topics: [`cannot be set for a group with more than ${maxInheritingProjects} projects`] })
    }
    const plan = await planInheritance(deps, projectIds, { groupId: id, topicIds: ids })
    const nameOf = await readNames(deps, [...ids, ...plan.removed.map(({ topicId }) => topicId)])
    const result = await describe(deps, { projectIds, plan, nameOf, created: dryRun ? created : [] })
    const topics = [...ids.map(nameOf), ...(dryRun ? created : [])].sort()
    if (!dryRun) {
      await replaceTopics(deps, group, ids)
      await applyInheritance(deps, plan)
    }
    return { topics, created, ...result }
  })
}

/** Locks the group, the groups above and below it, and all projects in it, so that none is added or moved. */
async function lockGroupWithProjects(deps: Deps, id: number): Promise<{ group: Namespace; projectIds: number[] }> {
  const read = async () => {
    const group = await findNamespaceById(deps.db, id)
    if (!group) throw notFound('Group')
    return { group, ids: [...lineageOf(group), ...(await listNamespaceIdsBelow(deps.db, [group]))] }
  }
  let held = new Set<number>()
  for (;;) {
    const { group, ids } = await read()
    if (ids.every((id) => held.has(id))) {
      const projectIds = await listProjectIdsBelow(deps.db, [group])
      await lockProjects(deps.db, projectIds)
      return { group, projectIds }
    }
    await lockNamespaces(deps.db, ids)
    held = new Set(ids)
  }
}

async function readNames(deps: Deps, ids: readonly number[]): Promise<(id: number) => string> {
  const names = new Map((await listTopicsById(deps.db, [...new Set(ids)])).map(({ id, name }) => [id, name]))
  return (id) => names.get(id) ?? ''
}

interface Described {
  projectIds: readonly number[]
  plan: InheritancePlan
  nameOf: (id: number) => string
  /** Names of topics that do not exist in a dry run. */
  created: readonly string[]
}

async function describe(deps: Deps, { projectIds, plan, nameOf, created }: Described) {
  const keyOf = ({ projectId, topicId }: { projectId: number; topicId: number }) => `${projectId} ${topicId}`
  const owned = new Set(plan.assignments.flatMap((row) => (row.own ? [keyOf(row)] : [])))
  const byProject = new Map(projectIds.map((id) => [id, { added: [...created], removed: [] as string[] }]))
  for (const kind of ['added', 'removed'] as const) {
    for (const row of plan[kind])
      if (!owned.has(keyOf(row))) byProject.get(row.projectId)?.[kind].push(nameOf(row.topicId))
  }
  const changed = [...byProject].filter(([, { added, removed }]) => added.length + removed.length > 0)
  const projects = await listProjectsById(
    deps.db,
    changed.map(([id]) => id),
  )
  const changes = projects.map((project): EffectiveChange => {
    const { added = [], removed = [] } = byProject.get(project.id) ?? {}
    return { project, added: added.sort(), removed: removed.sort() }
  })
  changes.sort((a, b) => a.project.id - b.project.id)
  return { changes, unchanged: projectIds.length - changes.length }
}

async function replaceTopics(deps: Deps, group: Namespace, ids: readonly number[]): Promise<void> {
  const current = (await listGroupTopics(deps.db, [group.id])).map(({ topicId }) => topicId)
  const added = ids.filter((id) => !current.includes(id))
  const removed = current.filter((id) => !ids.includes(id))
  if (added.length + removed.length === 0) return
  await deleteGroupTopics(deps.db, group.id, removed)
  await insertGroupTopics(deps.db, group.id, added)
  const nameOf = await readNames(deps, [...added, ...removed])
  await recordAuditEvent(deps, 'group_updated', {
    entity: groupEntity(group),
    message: 'Changed the topics of the group',
    extra: { added_topics: added.map(nameOf).sort(), removed_topics: removed.map(nameOf).sort() },
  })
}
