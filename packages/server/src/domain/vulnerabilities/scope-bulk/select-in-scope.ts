import { setImmediate } from 'node:timers/promises'
import { conflict } from '../../../platform/failure.ts'
import { forEachBatch } from '../../batches.ts'
import type { Deps, RootDeps } from '../../deps.ts'
import { isStillPermitted } from '../../projects/current-rights.ts'
import type { Project } from '../../projects/project.ts'
import { listProjectsById } from '../../projects/projects.ts'
import type { Visitor } from '../../projects/visible.ts'
import type { ListScope, VulnerabilityFilter } from '../list/filter.ts'
import { matchingIds } from '../list/list.ts'
import { assertOfProject } from '../triage/assert-in-project.ts'
import type { Selection } from '../triage/bulk/bulk.ts'
import { listProjectsOf } from './scope-change-queries.ts'

/** Selected vulnerabilities of a project, in the order of ids. */
export interface SelectedInProject {
  project: Project
  ids: readonly number[]
}

interface SelectedInScope {
  /** Projects in which the caller may triage, in the order of ids. */
  changeable: SelectedInProject[]
  /** Other projects that the caller may read. */
  skipped: SelectedInProject[]
}

/**
 * Returns the selected vulnerabilities by project. Throws if an id is not in the scope, or when their number is not as
 * expected. The number includes those that the caller may only read, because lists show them.
 */
export async function selectInScope(
  deps: RootDeps,
  caller: Visitor,
  scope: ListScope,
  { selection, expectedCount }: { selection: Selection; expectedCount?: number | undefined },
): Promise<SelectedInScope> {
  const ids = 'ids' in selection ? new Set(selection.ids) : await idsOf(deps, scope, selection.filter)
  const inOrder = [...ids].sort((a, b) => a - b)
  if (expectedCount !== undefined && expectedCount !== inOrder.length) {
    throw conflict(`expected ${expectedCount} vulnerabilities, but there are ${inOrder.length}; look again`)
  }
  const idsByProject = await groupByProject(deps, scope, inOrder)
  const projects = await listProjectsById(deps.db, [...idsByProject.keys()])
  const requester = { userId: caller.user.id, asAdmin: caller.isAdmin }
  const selected: SelectedInScope = { changeable: [], skipped: [] }
  for (const project of projects.sort((a, b) => a.id - b.id)) {
    const mayTriage = await isStillPermitted(deps, 'vulnerability.bulk', project, requester)
    const part = { project, ids: idsByProject.get(project.id) ?? [] }
    if (mayTriage) selected.changeable.push(part)
    else selected.skipped.push(part)
    await setImmediate()
  }
  return selected
}

async function idsOf(deps: RootDeps, scope: ListScope, filter: VulnerabilityFilter): Promise<Set<number>> {
  const ids = new Set<number>()
  for await (const batch of matchingIds(deps, { scope, filter, sort: 'severity_desc' })) {
    for (const id of batch) ids.add(id)
    await setImmediate()
  }
  return ids
}

/** A vulnerability that the caller may not read is reported like one that does not exist. */
async function groupByProject({ db }: RootDeps, scope: ListScope, inOrder: readonly number[]) {
  const readable = new Set(scope.projectIds)
  const idsByProject = new Map<number, number[]>()
  const listMembers = async (batch: readonly number[]) => {
    const rows = (await listProjectsOf(db, batch)).filter(({ projectId }) => readable.has(projectId))
    for (const { id, projectId } of rows) {
      const ids = idsByProject.get(projectId)
      if (ids) ids.push(id)
      else idsByProject.set(projectId, [id])
    }
    return rows.map(({ id }) => id)
  }
  await assertOfProject('vulnerability_ids', inOrder, listMembers, 'your projects here')
  return idsByProject
}

/** Yields the vulnerabilities of each project in batches. */
export async function forEachSelected(
  selected: readonly SelectedInProject[],
  work: (project: Project, batch: readonly number[]) => Promise<void>,
): Promise<void> {
  for (const { project, ids } of selected) await forEachBatch(ids, (batch) => work(project, batch))
}

export const countSelected = (selected: readonly SelectedInProject[]): number =>
  selected.reduce((total, { ids }) => total + ids.length, 0)

/** Returns the projects of vulnerabilities. */
export const findProjectsOf = ({ db }: Deps, ids: readonly number[]): Promise<{ id: number; projectId: number }[]> =>
  listProjectsOf(db, ids)
