import { type Deps, type RootDeps, transaction } from '../deps.ts'
import { hasUnsealed, listUnsealed, lockChain, saveSeals } from './audit-event-queries.ts'
import { linkHash } from './chain.ts'
import { queueStreams } from './stream.ts'

const batchSize = 500

/**
 * Appends all committed events to the hash chain. The chain has an order of its own, so an event whose transaction
 * commits late follows events with higher ids. Processes take turns by a lock on the chain. Returns true when this
 * process has sealed events.
 */
export async function sealAuditEvents(deps: RootDeps): Promise<boolean> {
  if (!(await hasUnsealed(deps.db))) return false
  let total = 0
  for (let sealed = batchSize; sealed === batchSize && !deps.stopping.aborted; total += sealed) {
    sealed = await transaction(deps, sealBatch)
  }
  return total > 0
}

async function sealBatch({ db }: Deps): Promise<number> {
  let { position, hash } = await lockChain(db)
  const events = await listUnsealed(db, batchSize)
  const seals = events.map((event) => {
    position += 1
    hash = linkHash(hash, event)
    return { id: event.id, position, hash }
  })
  if (seals.length > 0) await saveSeals(db, seals)
  return seals.length
}

const delayMs = 1000

/**
 * Seals events about a second after they were committed, by any process, and queues their streams. Returns a function
 * that stops it.
 */
export function startSealing(deps: RootDeps): { stop(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined
  // The destinations may be new since the last start.
  let isFirst = true
  let running: Promise<void> = Promise.resolve()
  const work = async () => {
    const hasSealed = await sealAuditEvents(deps)
    if (hasSealed || isFirst) await queueStreams(deps)
    isFirst = false
  }
  const seal = () => {
    timer = undefined
    running = work().catch((error: unknown) => {
      deps.log.error({ err: error }, 'audit events could not be sealed or queued for their streams')
    })
  }
  const schedule = () => {
    timer ??= setTimeout(seal, delayMs).unref()
  }
  const unwatch = deps.db.changes.watch('audit_events', schedule)
  schedule()
  return {
    async stop() {
      unwatch()
      clearTimeout(timer)
      await running
    },
  }
}
