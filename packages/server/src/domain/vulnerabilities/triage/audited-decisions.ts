import { projectEntity } from '../../audit/audit-event.ts'
import { describeEvent, recordAuditEvent } from '../../audit/record.ts'
import type { Deps } from '../../deps.ts'
import type { Project } from '../../projects/project.ts'
import type { User } from '../../users/user.ts'
import type { Vulnerability } from '../vulnerability.ts'
import { type Change, type DecidedGroup, type Dismissal, describeRequestedEnd, isTagChange } from './change.ts'
import { describeEnd } from './dismissals/dismissal-end.ts'
import { recordHistory } from './history/history.ts'
import type { HistoryEntry } from './history/history-entry.ts'
import { insertAuditedEntry } from './history/history-queries.ts'

const attributes = ['severity', 'due_date', 'assignee', 'tags'] as const

/** Stores the history entry of a decision about one vulnerability, and its audit event. */
export async function recordDecision(
  deps: Deps,
  project: Project,
  author: User,
  {
    vulnerability,
    entry,
    group,
  }: { vulnerability: Vulnerability; entry: HistoryEntry; group?: DecidedGroup | undefined },
): Promise<void> {
  const attribute = attributes.find((name) => name === entry.kind) ?? 'state'
  const name = `vulnerability_${attribute}_updated` as const
  const draft = {
    entity: projectEntity(project),
    message: `Changed the ${attribute.replace('_', ' ')} of a vulnerability`,
    target: { type: 'Vulnerability', id: vulnerability.id, name: vulnerability.title },
    changes: { [attribute]: { from: entry.from ?? null, to: entry.to ?? null } },
    author,
    ...(entry.ref && {
      extra: { dismissal_scope: 'ref', ref: entry.ref, dismissal_reason: entry.dismissalReason ?? null },
    }),
    ...(!entry.ref &&
      (entry.dismissalReason || group) && {
        extra: {
          ...(group && { dismissal_scope: 'group', group_id: group.id }),
          dismissal_reason: entry.dismissalReason ?? null,
          ...describeEnd(vulnerability),
        },
      }),
  }
  // The statement that inserts both has no column for details, which few decisions have.
  if (!entry.details && !entry.ref) return insertAuditedEntry(deps.db, entry, describeEvent(deps, name, draft))
  await recordHistory(deps.db, [entry], deps.now())
  await recordAuditEvent(deps, name, draft)
}

/** Records one event for vulnerabilities that are detected again because their dismissal has ended. */
export async function recordEndedDismissals(deps: Deps, project: Project, ended: number): Promise<void> {
  if (ended === 0) return
  await recordAuditEvent(deps, 'vulnerability_dismissals_ended', {
    entity: projectEntity(project),
    message: `Reopened ${ended} vulnerabilities whose dismissal had ended`,
    extra: { ended },
    author: 'system',
  })
}

/** Records one event for dismissals that await approval. */
export async function recordRequestedDismissals(
  deps: Deps,
  project: Project,
  change: Dismissal,
  requested: readonly Vulnerability[],
): Promise<void> {
  const [only] = requested
  if (!only) return
  await recordAuditEvent(deps, 'vulnerability_dismissal_requested', {
    entity: projectEntity(project),
    message: `Requested approval to dismiss ${requested.length === 1 ? 'a vulnerability' : `${requested.length} vulnerabilities`}`,
    ...(requested.length === 1 && { target: { type: 'Vulnerability', id: only.id, name: only.title } }),
    extra: { requested: requested.length, ...describeDismissal(change) },
  })
}

/** Records one event for requests that the undo of a bulk change withdrew. */
export async function recordWithdrawnDismissals(
  deps: Deps,
  project: Project,
  { bulkId, withdrawn }: { bulkId: number; withdrawn: number },
): Promise<void> {
  if (withdrawn === 0) return
  await recordAuditEvent(deps, 'vulnerability_dismissal_withdrawn', {
    entity: projectEntity(project),
    message: `Withdrew ${withdrawn} requests for dismissals with a bulk change`,
    target: { type: 'BulkChange', id: bulkId, name: `bulk change ${bulkId}` },
    extra: { withdrawn },
  })
}

/** Records one event for a change of many vulnerabilities; their history has the details. */
export function recordBulk(
  deps: Deps,
  project: Project,
  { change, id, changed, author }: { change: Change; id: number; changed: number; author?: User | undefined },
): Promise<void> {
  return recordAuditEvent(deps, 'vulnerabilities_bulk_updated', {
    entity: projectEntity(project),
    message: `Changed ${changed} vulnerabilities (${change.action})`,
    ...(author && { author }),
    target: { type: 'BulkChange', id, name: `bulk change ${id}` },
    extra: {
      action: change.action,
      changed,
      ...(change.action === 'dismiss' && describeDismissal(change)),
      ...(change.action === 'severity' && { severity: change.severity ?? null }),
      ...(change.action === 'due_date' && { due_on: change.dueOn ?? null }),
      ...(isTagChange(change) && { tags: change.tags }),
      ...(change.action === 'assign' && { assignee_id: change.assigneeId }),
    },
  })
}

const describeDismissal = ({ dismissalReason, ...end }: Dismissal) => ({
  dismissal_reason: dismissalReason ?? null,
  ...describeRequestedEnd(end),
})

export function recordBulkUndo(
  deps: Deps,
  project: Project,
  { id, restored, withdrawn, author }: { id: number; restored: number; withdrawn: number; author?: User },
): Promise<void> {
  return recordAuditEvent(deps, 'vulnerabilities_bulk_undone', {
    entity: projectEntity(project),
    message: `Undid a change of ${restored} vulnerabilities`,
    ...(author && { author }),
    target: { type: 'BulkChange', id, name: `bulk change ${id}` },
    extra: { restored, withdrawn },
  })
}
