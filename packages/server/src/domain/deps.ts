import type { Database, Db } from '../db/db.ts'
import type { Log } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { ObjectStore } from '../platform/object-store/objects.ts'
import type { Resolve } from '../platform/outgoing/post.ts'
import type { Settings } from '../platform/settings.ts'

/** Everything the domain reaches the outside through. */
export interface Deps {
  /** The database, or inside `transaction` the transaction. */
  readonly db: Db
  readonly objects: ObjectStore
  readonly settings: Settings
  readonly log: Log
  /** ISO 8601 UTC with milliseconds. */
  now(): string
  random(bytes: number): Buffer
  /** All addresses of a name, as the network says now. */
  readonly resolve: Resolve
}

/** Deps as the process holds them: with the right to open transactions. */
export interface RootDeps extends Deps {
  readonly db: Database
  readonly metrics: Metrics
  /** Aborted when the process is about to stop, while it still serves. */
  readonly draining: AbortSignal
  /** Aborted when the process starts to stop. Requests that wait for background work then respond at once. */
  readonly stopping: AbortSignal
}

/** Runs `work` with deps whose `db` is one transaction; shadow the name, so that the outer database is out of reach. */
export function transaction<T>(deps: Deps, work: (deps: Deps) => Promise<T>): Promise<T> {
  if (!isDatabase(deps.db)) return work(deps)
  return deps.db.transaction((db) => work({ ...deps, db }))
}

/** The same for what would be made again if a power cut took it: the commit does not wait for the disk. */
export function provisionally<T>(deps: RootDeps, work: (deps: Deps) => Promise<T>): Promise<T> {
  return deps.db.transaction((db) => work({ ...deps, db }), { isProvisional: true })
}

function isDatabase(db: Db): db is Database {
  return 'transaction' in db
}
