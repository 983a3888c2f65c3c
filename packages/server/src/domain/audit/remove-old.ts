import { type ExpiredRows, expiredRows, maxCounted } from '../../db/expired-rows.ts'
import { type Deps, transaction } from '../deps.ts'
import { instanceEntity } from './audit-event.ts'
import { deleteUpToCheckpoint, findChain, listSealed, lockChain, moveCheckpoint } from './audit-event-queries.ts'
import { recordAuditEvent } from './record.ts'

const batchSize = 1000
const dayMs = 24 * 60 * 60 * 1000

/** Removes the audit events that are older than `ALCOVE_AUDIT_RETENTION_DAYS`; none by default. */
export async function expireAuditEvents(deps: Deps): Promise<void> {
  const createdBefore = expiryOf(deps)
  for (let more = createdBefore !== undefined; more && createdBefore; ) {
    more = (await removeOldAuditEvents(deps, { createdBefore, limit: batchSize })) === batchSize
  }
}

/** Counts the events that `expireAuditEvents` removes. */
export async function countExpiredAuditEvents(deps: Deps): Promise<ExpiredRows> {
  const createdBefore = expiryOf(deps)
  const chain = await findChain(deps.db)
  let total = 0
  let oldest: string | null = null
  let after = chain?.basePosition
  while (createdBefore !== undefined && after !== undefined && total <= maxCounted) {
    const batch = await listSealed(deps.db, after, batchSize)
    const expired = beginningOf(batch, createdBefore)
    oldest ??= expired[0]?.createdAt ?? null
    total += expired.length
    after = expired.length === batchSize ? expired.at(-1)?.position : undefined
  }
  return expiredRows(total, oldest)
}

function expiryOf({ settings, now }: Deps): string | undefined {
  const days = settings.retentionDays.auditEvents
  return days === 0 ? undefined : new Date(Date.parse(now()) - days * dayMs).toISOString()
}

function beginningOf<T extends { createdAt: string }>(events: readonly T[], createdBefore: string): readonly T[] {
  const end = events.findIndex(({ createdAt }) => createdAt >= createdBefore)
  return end < 0 ? events : events.slice(0, end)
}

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
    const last = beginningOf(oldest, createdBefore).at(-1)
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
