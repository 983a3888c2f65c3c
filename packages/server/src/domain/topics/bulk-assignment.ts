import { invalid } from '../../platform/failure.ts'
import { type AuditEventDraft, projectEntity } from '../audit/audit-event.ts'
import { recordAuditEvents } from '../audit/record.ts'
import { type Deps, transaction } from '../deps.ts'
import type { Project } from '../projects/project.ts'
import { listProjectsById, lockProjects } from '../projects/projects.ts'
import type { Visitor } from '../projects/visible.ts'
import { maxTopics, readTopicNames, recount } from './assignment.ts'
import { resolveTopicNames, topicIdsNamed } from './resolve-names.ts'
import { type Assignment, assignToAll, listAssignments, listTopicsById, removeFromAll } from './topic-queries.ts'

export interface TopicChanges {
  /** Names or aliases, which may be separated by commas. */
  add: readonly string[]
  /** Unknown names are ignored. */
  remove: readonly string[]
}

interface ProjectTopicChange {
  project: Project
  /** Names of the topics. */
  added: string[]
  removed: string[]
}

export interface BulkAssignment {
  changes: ProjectTopicChange[]
  unchanged: number
  /** Names of topics that were, or in a dry run would be, created. */
  created: string[]
}

/**
 * Adds topics to projects and removes others, in one transaction. The caller may update all of the projects. A dry run
 * only returns what would change. Throws `invalid({ topics })` for a name that cannot be a topic, or too many topics.
 */
export function assignInBulk(
  deps: Deps,
  caller: Visitor,
  projectIds: readonly number[],
  changes: TopicChanges & { dryRun: boolean },
): Promise<BulkAssignment> {
  return transaction(deps, async (deps) => {
    await lockProjects(deps.db, projectIds)
    const projects = await listProjectsById(deps.db, projectIds)
    const result: BulkAssignment = { changes: [], unchanged: 0, created: [] }
    for (const [organizationId, members] of byOrganization(projects)) {
      const part = await assignInOrganization(deps, caller, { organizationId, projects: members, ...changes })
      result.changes.push(...part.changes)
      result.created.push(...part.created)
    }
    result.changes.sort((a, b) => a.project.id - b.project.id)
    result.unchanged = projects.length - result.changes.length
    return result
  })
}

interface PartOfOrganization extends TopicChanges {
  organizationId: number
  projects: readonly Project[]
  dryRun: boolean
}

async function assignInOrganization(deps: Deps, caller: Visitor, part: PartOfOrganization) {
  const { organizationId, projects, dryRun } = part
  const { ids: added, created } = await resolveTopicNames(deps, caller, { organizationId, texts: part.add, dryRun })
  const named = await topicIdsNamed(deps, organizationId, readTopicNames(part.remove))
  const removed = named.filter((id) => !added.includes(id))
  const planned = await planChanges(deps, projects, { added, removed, created: dryRun ? created : [] })
  if (!dryRun) {
    const changedIds = planned.map(({ project }) => project.id)
    await removeFromAll(deps.db, changedIds, removed)
    await assignToAll(deps.db, changedIds, added)
    await recount(deps, [...added, ...removed])
    await recordAuditEvents(deps, 'project_updated', planned.map(draftOf))
  }
  return { changes: planned, created }
}

const draftOf = ({ project, added, removed }: ProjectTopicChange): AuditEventDraft => ({
  entity: projectEntity(project),
  message: 'Changed the topics of the project',
  extra: { added_topics: added, removed_topics: removed },
})

interface TopicIds {
  added: readonly number[]
  removed: readonly number[]
  /** Names of topics that do not exist in a dry run. */
  created: readonly string[]
}

async function planChanges(
  deps: Deps,
  projects: readonly Project[],
  { added, removed, created }: TopicIds,
): Promise<ProjectTopicChange[]> {
  const topics = new Map((await listTopicsById(deps.db, [...added, ...removed])).map(({ id, name }) => [id, name]))
  const namesOf = (ids: readonly number[]) => ids.flatMap((id) => topics.get(id) ?? []).sort()
  const assigned = idsByProject(
    await listAssignments(
      deps.db,
      projects.map(({ id }) => id),
    ),
  )
  return projects.flatMap((project) => {
    const own = assigned.get(project.id) ?? new Set()
    const change = {
      project,
      added: [...namesOf(added.filter((id) => !own.has(id))), ...created].sort(),
      removed: namesOf(removed.filter((id) => own.has(id))),
    }
    const total = own.size + change.added.length - change.removed.length
    if (total > maxTopics) throw invalid({ topics: [`are too many (maximum is ${maxTopics})`] })
    return change.added.length + change.removed.length > 0 ? [change] : []
  })
}

/** Returns the own topics of projects. */
function idsByProject(assignments: readonly Assignment[]): Map<number, Set<number>> {
  const ids = new Map<number, Set<number>>()
  for (const { projectId, topicId, own } of assignments) {
    if (!own) continue
    const known = ids.get(projectId)
    if (known) known.add(topicId)
    else ids.set(projectId, new Set([topicId]))
  }
  return ids
}

function byOrganization(projects: readonly Project[]): Map<number, Project[]> {
  const groups = new Map<number, Project[]>()
  for (const project of projects) {
    groups.set(project.organizationId, [...(groups.get(project.organizationId) ?? []), project])
  }
  return groups
}
