import { type Deps, type RootDeps, transaction } from '../deps.ts'
import { hasUnsealed, listUnsealed, lockChain, saveSeals } from './audit-event-queries.ts'
import { linkHash } from './chain.ts'
import { queueStreams } from './stream.ts'

const batchSize = 500

/**
 * Appends all committed events to the hash chain. The chain has an order of its own, so an event whose transaction
 * commits late follows events with higher ids. Processes take turns by a lock on the chain.
 */
export async function sealAuditEvents(deps: RootDeps): Promise<void> {
  if (!(await hasUnsealed(deps.db))) return
  while ((await transaction(deps, sealBatch)) === batchSize) if (deps.stopping.aborted) return
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

/** Seals events about a second after they were committed, by any process. Returns a function that stops it. */
export function startSealing(deps: RootDeps): { stop(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()
  const seal = () => {
    timer = undefined
    running = sealAuditEvents(deps)
      .then(() => queueStreams(deps))
      .catch((error: unknown) => {
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
