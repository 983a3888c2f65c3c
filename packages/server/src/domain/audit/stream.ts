import type { AuditDestination } from '../../platform/settings/audit-stream-settings.ts'
import { type Deps, type RootDeps, withRelaxedDurability } from '../deps.ts'
import { later, outageBackOffMs } from '../jobs/back-off.ts'
import { type AnyJobKind, enqueue, jobKind } from '../jobs/job.ts'
import type { SealedEvent } from './audit-event.ts'
import { type Chain, findChain, listSealed } from './audit-event-queries.ts'
import { sendEvents } from './send-events.ts'
import { lineOf } from './stream-lines.ts'
import { addStreamFailure, insertCursor, listCursors, moveCursor, type StreamCursor } from './stream-queries.ts'

const streamKind = 'audit-stream'

/** Limits of one request or write. Receivers commonly accept 1 MiB. */
const maxEvents = 500
const maxCharacters = 512 * 1024

/** Duration of a run, after which other destinations get a turn. */
const longestRunMs = 10_000

/**
 * Sends a destination the events after its cursor, in the order of the chain. Jobs with one key run one at a time in all
 * processes. The cursor moves after the destination has accepted the events, so a process that ends in between leaves
 * them to be sent again: delivery is at least once.
 */
export const streamJob: AnyJobKind = jobKind<{ destination: string }>({
  kind: streamKind,
  concurrency: 10,
  maxAttempts: 100,
  coalesces: true,
  async run(deps, { payload, signal }) {
    const destination = deps.settings.auditStreams.find(({ name }) => name === payload.destination)
    // It was removed from the settings, or other processes have newer ones and queue the job again.
    if (!destination) return undefined
    const end = performance.now() + longestRunMs
    while (performance.now() < end) {
      const sent = await sendNext(deps, destination, signal)
      if (sent.outcome === 'complete') return undefined
      if (sent.outcome === 'failed') return { againAt: later(deps, outageBackOffMs(deps, sent.failures)) }
    }
    return { againAt: deps.now() }
  },
})

/** Queues a run for each destination that lacks events. */
export async function queueStreams(deps: RootDeps): Promise<void> {
  for (const { destination, lag } of await measureStreams(deps)) {
    if (lag > 0) {
      await enqueue(deps, { kind: streamKind, key: `${streamKind}:${destination}`, payload: { destination } })
    }
  }
}

type Sent = { outcome: 'complete' | 'continued' } | { outcome: 'failed'; failures: number }

async function sendNext(deps: RootDeps, destination: AuditDestination, signal: AbortSignal): Promise<Sent> {
  const { name } = destination
  const cursor = await openCursor(deps, name)
  const events = beginningOf(await listSealed(deps.db, cursor.position, maxEvents))
  const last = events.at(-1)
  if (!last) return { outcome: 'complete' }
  // A power failure must not take back what was sent.
  await deps.db.whenDurable()
  signal.throwIfAborted()
  try {
    await sendEvents(deps, destination, events, signal)
  } catch (error) {
    signal.throwIfAborted()
    return { outcome: 'failed', failures: await recordFailure(deps, cursor, error) }
  }
  // If a power failure loses the new position, the events are sent again.
  await withRelaxedDurability(deps, (deps) => moveCursor(deps.db, cursor, last.position))
  if (cursor.failures > 0) deps.log.info({ destination: name }, 'audit events are streamed again')
  return { outcome: 'continued' }
}

async function recordFailure(deps: RootDeps, { destination, failures }: StreamCursor, error: unknown): Promise<number> {
  const reason = (error instanceof Error ? error.message : String(error)).slice(0, 500)
  await addStreamFailure(deps.db, destination, reason)
  const lag = (await measureStreams(deps)).find((stream) => stream.destination === destination)?.lag
  deps.log.warn({ destination, reason, failures: failures + 1, lag }, 'audit events could not be streamed')
  return failures + 1
}

/**
 * Returns the cursor of a destination. A new one begins with the oldest event. A cursor outside of the chain is moved to
 * its beginning: before it, after events were removed undelivered; after its end, if the chain was replaced.
 */
async function openCursor(deps: RootDeps, destination: string): Promise<StreamCursor> {
  const { chain, cursors } = await readCursors(deps, [destination])
  const [cursor] = cursors
  if (!cursor) {
    const position = chain.basePosition
    await insertCursor(deps.db, destination, position)
    return { destination, position, failures: 0 }
  }
  const position = positionIn(chain, cursor)
  if (position === cursor.position) return cursor
  if (cursor.position < position) {
    const lost = { destination, from: cursor.position + 1, to: position }
    deps.log.error(lost, 'audit events were removed before they were streamed')
  } else {
    deps.log.warn({ destination, position: cursor.position }, 'the audit log has become shorter; it is streamed again')
  }
  await moveCursor(deps.db, cursor, position)
  return { ...cursor, position }
}

/** Reads the cursors before the chain, whose end moves first: no cursor seems to be after it. */
async function readCursors({ db }: Deps, names: readonly string[]): Promise<{ chain: Chain; cursors: StreamCursor[] }> {
  const cursors = await listCursors(db, names)
  const chain = await findChain(db)
  if (!chain) throw new Error('the row of audit_chain is missing')
  return { chain, cursors }
}

function positionIn({ position, basePosition }: Chain, cursor: StreamCursor | undefined): number {
  return !cursor || cursor.position > position ? basePosition : Math.max(cursor.position, basePosition)
}

/** Returns as many events as fit into one request, at least one. */
function beginningOf(events: readonly SealedEvent[]): readonly SealedEvent[] {
  let characters = 0
  const end = events.findIndex((event) => {
    characters += lineOf(event).length
    return characters > maxCharacters
  })
  return end < 0 ? events : events.slice(0, Math.max(end, 1))
}

export interface StreamState {
  destination: string
  /** Position of the last event that the destination has accepted. */
  position: number
  /** Number of events that it has not accepted. */
  lag: number
  failures: number
}

/** Returns the state of all configured destinations. */
export async function measureStreams(deps: Deps): Promise<StreamState[]> {
  if (deps.settings.auditStreams.length === 0) return []
  const names = deps.settings.auditStreams.map(({ name }) => name)
  const { chain, cursors } = await readCursors(deps, names)
  return names.map((destination) => {
    const cursor = cursors.find((cursor) => cursor.destination === destination)
    const position = positionIn(chain, cursor)
    return { destination, position, lag: chain.position - position, failures: cursor?.failures ?? 0 }
  })
}
