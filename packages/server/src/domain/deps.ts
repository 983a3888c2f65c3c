import type { Database, Db, TransactionOptions } from '../db/db.ts'
import type { Log } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics.ts'
import type { ObjectStore } from '../platform/object-store/objects.ts'
import type { Resolve } from '../platform/outgoing/send.ts'
import type { Settings } from '../platform/settings/settings.ts'
import type { Trace } from '../platform/tracing.ts'
import type { Actor } from './actor.ts'

/** Dependencies of the domain: everything through which it reaches the outside world. */
export interface Deps {
  /** The database or, inside `transaction`, the transaction. */
  readonly db: Db
  readonly objects: ObjectStore
  readonly settings: Settings
  readonly log: Log
  /** The trace of the request or job. */
  readonly trace?: Trace | undefined
  /** Current time as ISO 8601 in UTC with milliseconds. */
  now(): string
  random(bytes: number): Buffer
  /** Resolves a host name to all of its current addresses. */
  readonly resolve: Resolve
  /** Who sent the request that is being handled, for the audit log; absent in jobs and commands. */
  readonly actor?: Actor | undefined
}

/** Dependencies of the process, whose database can open transactions. */
export interface RootDeps extends Deps {
  readonly db: Database
  readonly metrics: Metrics
  /** Aborted when the process is about to stop, while it still accepts requests. */
  readonly draining: AbortSignal
  /** Aborted when the process begins to stop. Requests that wait for background work then respond immediately. */
  readonly stopping: AbortSignal
}

/**
 * Runs `work` with deps whose `db` is a transaction. Shadow the name, so that the outer database is out of reach. Options
 * have no effect inside another transaction.
 */
export function transaction<T>(
  deps: Deps,
  work: (deps: Deps) => Promise<T>,
  options?: Pick<TransactionOptions, 'isBatched'>,
): Promise<T> {
  if (!isDatabase(deps.db)) return work(deps)
  return deps.db.transaction((db) => work(withDatabase(deps, db)), options)
}

/** Tables that lists of vulnerabilities and findings read, and whose rows belong to one project each. */
const projectTables = [
  ...['vulnerabilities', 'vulnerability_counts', 'vulnerability_days', 'vulnerability_history', 'vulnerability_links'],
  ...['findings', 'finding_identifiers', 'finding_keys', 'finding_matches', 'promoted_findings', 'identifiers'],
  ...['occurrences', 'occurrence_categories', 'scanners', 'scans', 'imports', 'refs'],
  ...['imported_findings', 'imported_finding_keys'],
]

/**
 * Like `transaction`, for work that changes rows of one project only in these tables. What is cached of other projects
 * stays valid. See `withRelaxedDurability` about `isRelaxed`.
 */
export function projectTransaction<T>(
  deps: Deps,
  projectId: number,
  work: (deps: Deps) => Promise<T>,
  { isRelaxed = false }: { isRelaxed?: boolean } = {},
): Promise<T> {
  if (!isDatabase(deps.db)) return work(deps)
  const project = { id: projectId, tables: projectTables }
  return deps.db.transaction((db) => work(withDatabase(deps, db)), { isRelaxed, project })
}

/**
 * Runs `work` in a transaction with relaxed durability: the commit does not wait for the disk. For work that is
 * repeated if a power failure loses it.
 */
export function withRelaxedDurability<T>(deps: RootDeps, work: (deps: Deps) => Promise<T>): Promise<T> {
  return deps.db.transaction((db) => work(withDatabase(deps, db)), { isRelaxed: true })
}

/** Names every field, because V8 takes about a hundred times as long to spread an object with so many fields. */
function withDatabase({ objects, settings, log, trace, now, random, resolve, actor }: Deps, db: Db): Required<Deps> {
  return { db, objects, settings, log, trace, now, random, resolve, actor }
}

function isDatabase(db: Db): db is Database {
  return 'transaction' in db
}
