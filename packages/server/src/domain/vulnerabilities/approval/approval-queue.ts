import { roles } from '../../access/roles.ts'
import type { RootDeps } from '../../deps.ts'
import type { Severity } from '../../findings/scales.ts'
import { type Page, type PageRequest, pageOf } from '../../page.ts'
import type { Project } from '../../projects/project.ts'
import { listReachedProjectIds } from '../../projects/reached.ts'
import type { Visitor } from '../../projects/visible.ts'
import type { ListScope } from '../list/filter.ts'
import { withProjects } from '../list/readable-scope.ts'
import type { DismissalRequest } from './dismissal-request.ts'
import { countQueue, listQueue, type QueueFilter } from './dismissal-request-queries.ts'

export const queueSides = ['to_decide', 'requested'] as const

export interface QueueQuery {
  state?: DismissalRequest['state'] | undefined
  severities?: readonly Severity[] | undefined
  /** `to_decide`: requests that the caller may decide, so none that they made, also with a token; `requested`: those of the caller. Both when absent. */
  side?: (typeof queueSides)[number] | undefined
}

export interface QueuedRequest {
  request: DismissalRequest
  project: Project
  /** Whether the caller may approve or reject it. */
  canDecide: boolean
}

/**
 * Returns the requests of the projects of a scope in which the caller may approve dismissals, and those that the caller
 * has made in the others, newest first.
 */
export async function findQueue(
  deps: RootDeps,
  caller: Visitor,
  scope: ListScope,
  { query, page }: { query: QueueQuery; page: PageRequest },
): Promise<Page<QueuedRequest>> {
  const decidable = await listDecidable(deps, caller, scope)
  const filter: QueueFilter = { ...query, userId: caller.user.id, readable: scope.projectIds, decidable }
  const [rows, counted] = await Promise.all([
    listQueue(deps.db, filter, page),
    page.keyset ? undefined : countQueue(deps.db, filter),
  ])
  const found = pageOf(page, rows, counted)
  const mayDecideIn = new Set(decidable)
  const withProject = await withProjects(deps, found.rows)
  return {
    ...found,
    rows: withProject.map(({ row: request, project }) => ({
      request,
      project,
      canDecide: mayDecideIn.has(project.id) && !project.isArchived && isForOther(caller, request),
    })),
  }
}

async function listDecidable(deps: RootDeps, caller: Visitor, { projectIds }: ListScope): Promise<readonly number[]> {
  const { triageRole } = deps.settings
  if (caller.isAdmin || triageRole === 'developer') return projectIds
  const reached = new Set(await listReachedProjectIds(deps, caller, roles[triageRole], {}))
  return projectIds.filter((id) => reached.has(id))
}

const isForOther = ({ user }: Visitor, { state, requestedById, involvedIds }: DismissalRequest): boolean =>
  state === 'pending' && !user.isBot && requestedById !== user.id && !(involvedIds ?? []).includes(user.id)
