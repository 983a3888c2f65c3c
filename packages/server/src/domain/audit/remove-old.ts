import { type ExpiredRows, expiredRows, maxCounted } from '../../db/expired-rows.ts'
import { type Deps, transaction } from '../deps.ts'
import { instanceEntity, type SealedEvent } from './audit-event.ts'
import { deleteUpToCheckpoint, findChain, listSealed, lockChain, moveCheckpoint } from './audit-event-queries.ts'
import { recordAuditEvent } from './record.ts'
import { measureStreams } from './stream.ts'

const batchSize = 1000
const dayMs = 24 * 60 * 60 * 1000
/** Time for which events stay after their retention when a stream has not delivered them. */
const maxHeldMs = 30 * dayMs

/**
 * Removes the audit events that are older than `ALCOVE_AUDIT_RETENTION_DAYS`; none by default. Those that a destination
 * of a stream has not received stay for up to 30 days longer.
 */
export async function expireAuditEvents(deps: Deps): Promise<void> {
  const createdBefore = expiryOf(deps)
  if (createdBefore === undefined) return
  for (let removed = batchSize; removed === batchSize; ) {
    removed = await removeOldAuditEvents(deps, { createdBefore, limit: batchSize })
  }
  const chain = await findChain(deps.db)
  const [oldest] = chain ? await listSealed(deps.db, chain.basePosition, 1) : []
  if (oldest && oldest.createdAt < createdBefore) {
    deps.log.warn({ oldest: oldest.createdAt }, 'audit events are kept beyond their retention until they were streamed')
  }
}

/** Counts the events that `expireAuditEvents` removes. */
export async function countExpiredAuditEvents(deps: Deps): Promise<ExpiredRows> {
  const createdBefore = expiryOf(deps)
  const held = await findHeld(deps, createdBefore)
  const chain = await findChain(deps.db)
  let total = 0
  let oldest: string | null = null
  let after = chain?.basePosition
  while (createdBefore !== undefined && after !== undefined && total <= maxCounted) {
    const batch = await listSealed(deps.db, after, batchSize)
    const expired = beginningOf(batch, createdBefore, held)
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

/** Events that a stream has not delivered, except those that are too old to wait for it. */
interface HeldEvents {
  afterPosition: number
  createdSince: string
}

async function findHeld(deps: Deps, createdBefore: string | undefined): Promise<HeldEvents | undefined> {
  const streams = createdBefore === undefined ? [] : await measureStreams(deps)
  if (createdBefore === undefined || streams.length === 0) return undefined
  return {
    afterPosition: Math.min(...streams.map(({ position }) => position)),
    createdSince: new Date(Date.parse(createdBefore) - maxHeldMs).toISOString(),
  }
}

function beginningOf(
  events: readonly SealedEvent[],
  createdBefore: string,
  held: HeldEvents | undefined,
): readonly SealedEvent[] {
  const end = events.findIndex(
    ({ createdAt, position }) =>
      createdAt >= createdBefore || (held && position > held.afterPosition && createdAt >= held.createdSince),
  )
  return end < 0 ? events : events.slice(0, end)
}

/**
 * Removes the oldest events, created before `createdBefore` (ISO time), at most `limit` of them. Returns their number;
 * call it again while it equals `limit`. The position and hash of the last removed event become the checkpoint from
 * which the rest of the chain is verified, and an event records both. Only the beginning of the chain is removed: an
 * event that is not yet sealed, or that a stream has to deliver, stays with all later ones.
 */
export function removeOldAuditEvents(
  deps: Deps,
  { createdBefore, limit }: { createdBefore: string; limit: number },
): Promise<number> {
  return transaction(deps, async (deps) => {
    const { basePosition } = await lockChain(deps.db)
    const oldest = await listSealed(deps.db, basePosition, limit)
    const held = await findHeld(deps, createdBefore)
    const last = beginningOf(oldest, createdBefore, held).at(-1)
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
