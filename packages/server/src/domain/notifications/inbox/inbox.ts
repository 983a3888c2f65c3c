import type { Deps, RootDeps } from '../../deps.ts'
import type { Visitor } from '../../projects/visible.ts'
import { findQueue } from '../../vulnerabilities/approval/approval-queue.ts'
import type { ListScope } from '../../vulnerabilities/list/filter.ts'
import type { InboxItem } from './inbox-item.ts'
import {
  type AssignedVulnerability,
  findReadAt,
  listAssigned,
  listFailedImports,
  upsertReadAt,
} from './inbox-queries.ts'

const maxItems = 50
const maxAssigned = 500
const maxApprovals = 20
const maxFailed = 20
const failedDays = 30
/** Days before the due date, as in messages. */
const dueSoonDays = 7
const dayMs = 24 * 60 * 60 * 1000

type Draft = Omit<InboxItem, 'isUnread'>

/** Returns what concerns the user now, newest first. An item disappears with its reason, such as a triaged vulnerability. */
export async function readInbox(deps: RootDeps, caller: Visitor, scope: ListScope): Promise<InboxItem[]> {
  const { projectIds } = scope
  const userId = caller.user.id
  const since = new Date(Date.parse(deps.now()) - failedDays * dayMs).toISOString()
  const approvals = { page: 1, perPage: maxApprovals, offset: 0 }
  const [assigned, queue, failed, readAt = ''] = await Promise.all([
    listAssigned(deps.db, projectIds, userId, maxAssigned),
    findQueue(deps, caller, scope, { query: { state: 'pending', side: 'to_decide' }, page: approvals }),
    listFailedImports(deps.db, projectIds, { userId, since }, maxFailed),
    findReadAt(deps.db, userId),
  ])
  const drafts: Draft[] = [
    ...assigned.flatMap((vulnerability) => assignment(vulnerability, userId)),
    ...assigned.flatMap((vulnerability) => dueDate(vulnerability, deps.now())),
    ...queue.rows
      .filter(({ canDecide }) => canDecide)
      .map(({ request }) => ({
        ...itemOf({ ...request, id: request.vulnerabilityId }, 'approval'),
        createdAt: request.createdAt,
      })),
    ...failed.map(({ id, projectId, ref, finishedAt }) => ({
      ...{ kind: 'failed_import' as const, projectId, title: ref, vulnerabilityId: null, importId: id, dueOn: null },
      createdAt: finishedAt,
    })),
  ]
  return drafts
    .sort((a, b) => (a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : 0))
    .slice(0, maxItems)
    .map((draft) => ({ ...draft, isUnread: draft.createdAt > readAt }))
}

/** Marks all notifications of a user as read. */
export async function markInboxRead({ db, now }: Deps, userId: number): Promise<void> {
  await upsertReadAt(db, userId, now())
}

const itemOf = (
  { id, projectId, title }: Pick<AssignedVulnerability, 'id' | 'projectId' | 'title'>,
  kind: InboxItem['kind'],
) => ({ kind, projectId, title, vulnerabilityId: id, importId: null, dueOn: null })

/** Omits what users assigned to themselves. */
function assignment(vulnerability: AssignedVulnerability, userId: number): Draft[] {
  const { assignedAt, assignedById } = vulnerability
  if (assignedAt === null || assignedById === userId) return []
  return [{ ...itemOf(vulnerability, 'assigned'), createdAt: assignedAt }]
}

function dueDate(vulnerability: AssignedVulnerability, now: string): Draft[] {
  const { dueOn } = vulnerability
  if (dueOn === null) return []
  const day = Date.parse(`${dueOn}T00:00:00Z`)
  const [warnedAt, lateAt] = [day - dueSoonDays * dayMs, day + dayMs]
  const at = Date.parse(now)
  if (at < warnedAt) return []
  const isLate = at >= lateAt
  const createdAt = new Date(isLate ? lateAt : warnedAt).toISOString()
  return [{ ...itemOf(vulnerability, isLate ? 'overdue' : 'due_soon'), dueOn, createdAt }]
}
