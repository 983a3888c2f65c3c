import type { Deps } from '../../deps.ts'
import type { Project } from '../../projects/project.ts'
import { recordWithdrawnDismissals } from '../triage/audited-decisions.ts'
import { saveChanges } from '../triage/triage.ts'
import { lockVulnerabilities } from '../triage/triage-queries.ts'
import { listPendingOfBulk, withdrawRequests } from './dismissal-request-queries.ts'

/** Withdraws the next pending requests of a bulk change, which a user undoes, and returns how many. */
export async function withdrawOfBulk(
  deps: Deps,
  project: Project,
  { bulkId, userId, now }: { bulkId: number; userId: number | null; now: string },
  limit: number,
): Promise<number> {
  const pending = await listPendingOfBulk(deps.db, bulkId, limit)
  const locked = await lockVulnerabilities(
    deps.db,
    project.id,
    pending.map(({ vulnerabilityId }) => vulnerabilityId),
  )
  // A request may have been decided before the lock.
  const withdrawn = new Map(
    (await withdrawRequests(deps.db, pending, { userId, now })).map((request) => [request.vulnerabilityId, request]),
  )
  const changes = locked.flatMap((before) => {
    const request = withdrawn.get(before.id)
    if (!request) return []
    const details = { dismissal_request_id: request.id, requested_by_id: request.requestedById, undoes_bulk_id: bulkId }
    const entry = { vulnerabilityId: before.id, kind: 'dismissal_withdrawn' as const, userId, details }
    return [{ before, after: { ...before, dismissalRequestId: null, updatedAt: now }, entry }]
  })
  await saveChanges(deps, project.id, changes, now)
  await recordWithdrawnDismissals(deps, project, { bulkId, withdrawn: changes.length })
  return changes.length
}
