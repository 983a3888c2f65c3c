import { type Deps, transaction } from '../deps.ts'
import { instanceEntity } from './audit-event.ts'
import { deleteUpToCheckpoint, listSealed, lockChain, moveCheckpoint } from './audit-event-queries.ts'
import { recordAuditEvent } from './record.ts'

/**
 * Removes the oldest events, created before `createdBefore` (ISO time), at most `limit` of them. Returns their number;
 * call it again while it equals `limit`. The position and hash of the last removed event become the checkpoint from
 * which the rest of the chain is verified, and an event records both. Only the beginning of the chain is removed: an
 * event that is not yet sealed stays with all later ones.
 */
export function removeOldAuditEvents(
  deps: Deps,
  { createdBefore, limit }: { createdBefore: string; limit: number },
): Promise<number> {
  return transaction(deps, async (deps) => {
    const { basePosition } = await lockChain(deps.db)
    const oldest = await listSealed(deps.db, basePosition, limit)
    const end = oldest.findIndex(({ createdAt }) => createdAt >= createdBefore)
    const last = (end < 0 ? oldest : oldest.slice(0, end)).at(-1)
    if (!last) return 0
    await moveCheckpoint(deps.db, last)
    const removed = await deleteUpToCheckpoint(deps.db)
    await recordAuditEvent(deps, 'audit_events_removed', {
      entity: instanceEntity,
      message: `Removed ${removed} audit events created before ${createdBefore}`,
      extra: { checkpoint: { position: last.position, hash: last.hash } },
    })
    return removed
  })
}
