import { setTimeout } from 'node:timers/promises'
import type { Client, QueryConfig } from 'pg'
import type { ChangeLog } from '../changes.ts'
import { inTime, Silence } from '../in-time.ts'
import { executePrepared } from './prepared-row.ts'

/**
 * Log of the commits of all processes on one PostgreSQL database. Every writing transaction adds a row with its
 * transaction id, and each process reads the rows that were not visible in its last snapshot. A commit is therefore
 * counted as soon as it is visible; notifications only make idle processes read earlier.
 */
export interface CommitLog {
  /** Returns the statements that record a commit. They must run in its transaction. */
  record(tables: Iterable<string>): QueryConfig[]
  /** Returns a statement that notifies the other processes of a schema change. */
  schemaChanged(): string
  /** Resolves when every commit that ended before this call is counted. Never rejects. */
  synchronize(): Promise<void>
  close(): Promise<void>
}

export interface CommitLogOptions {
  changes: ChangeLog
  /** Id of this process, whose own commits were already counted by their transactions. */
  self: string
  peer: Peer
  /** Reloads the foreign keys. Also called after another process has run migrations. */
  refresh: () => Promise<void>
}

/** Connections of the process, as used by the log. */
interface Peer {
  /** Opens a client that sends one query at a time. */
  connect(): Promise<Client>
  /** Reports that the server does not respond or rejects connections. */
  suspend(why: string): void
  /** Reports that the server responds again. */
  restore(): void
}

const channel = 'alcove_changes'
const everyTable = '*'
const heartbeatMs = 2_000
const silenceMs = 5_000
const maxReconnectDelayMs = 1_000
const keptMinutes = 60
const cleanUpIntervalMs = 10 * 60 * 1000
/** Maximum age of a snapshot; older commits may have been deleted before they were read. */
const maxAgeMs = 30 * 60 * 1000

// The table is unlogged: after a crash of PostgreSQL every process reconnects and discards its caches anyway.
const createTable = `
  create unlogged table if not exists recent_commits (
    xid xid8 primary key, process text not null, tables text not null, committed_at timestamptz not null)`

const recordCommit = `
  insert into recent_commits (xid, process, tables, committed_at) values (pg_current_xact_id(), $1, $2, now())`

// The upper bound excludes rows that were restored from another server, whose transaction ids have no meaning here.
const prepareRead = `
  prepare read_commits (pg_snapshot, text) as
  select pg_current_snapshot()::text, (
    select string_agg(distinct tables, ' ') from recent_commits
    where process <> $2 and xid >= pg_snapshot_xmin($1)
      and xid < pg_snapshot_xmax(pg_current_snapshot())
      and not pg_visible_in_snapshot(xid, $1))`
/** Snapshot that sees no commit. */
const emptySnapshot = '1:1:'

/**
 * Opens the log on a connection of its own. When the server does not respond or accepts no new connection, the log
 * suspends the process's connections until it does.
 */
export async function openCommitLog(options: CommitLogOptions): Promise<CommitLog> {
  const { changes, self, peer } = options
  const closing = new AbortController()
  const pause = (ms: number) => setTimeout(ms, false, { ref: false, signal: closing.signal }).catch(() => true)
  const synchronize = runTogether(readNew)
  // Notifications may arrive while the first connection opens; its snapshot is taken afterwards and includes them.
  let isOpen = false
  const listen = () => openListener(options, () => void (isOpen && synchronize()))
  let listener = await listen()
  isOpen = true
  const over = attend()

  return {
    record(tables) {
      return [
        { name: 'record_commit', text: recordCommit, values: [self, [...tables].join(',')] },
        { text: `notify ${channel}, '${self}'` },
      ]
    },
    schemaChanged: () => `notify ${channel}, '${self} ${everyTable}'`,
    synchronize,
    close() {
      closing.abort()
      return over
    },
  }

  /**
   * Counts the commits since the last snapshot. Without a response, caches are disabled until the log has reconnected.
   */
  async function readNew(): Promise<void> {
    const current = listener
    // While disconnected the version is unknown and caches are not used.
    if (changes.version([]) === undefined) return
    try {
      const { snapshot, commits } = await readCommits(current.client, self, current.snapshot)
      if (performance.now() - current.readAt > maxAgeMs) changes.bumpAll()
      for (const tables of commits) changes.bump(tables.split(','))
      current.snapshot = snapshot
      current.readAt = performance.now()
    } catch (error) {
      if (listener !== current) return
      changes.setConnected(false)
      if (error instanceof Silence) peer.suspend(error.message)
      current.client.end().catch(() => {})
    }
  }

  /** Replaces lost connections. Regular reads detect a server that has silently disappeared. */
  async function attend() {
    let cleanedAt = performance.now()
    while (!closing.signal.aborted) {
      const { client, ended } = listener
      const lost = await Promise.race([ended, pause(heartbeatMs)])
      if (!lost) {
        await synchronize()
        if (performance.now() - cleanedAt < cleanUpIntervalMs) continue
        cleanedAt = performance.now()
        await inTime(client.query(deleteOld), silenceMs).catch(() => {})
        continue
      }
      changes.setConnected(false)
      await client.end()
      let isSuspended = false
      for (let delay = 100; !closing.signal.aborted; delay = Math.min(2 * delay, maxReconnectDelayMs)) {
        try {
          listener = await listen()
          break
        } catch (error) {
          // Report each outage once: a readiness probe may detect its end earlier than this loop.
          if (!isSuspended) peer.suspend(error instanceof Error ? error.message : String(error))
          isSuspended = true
          await pause(delay)
        }
      }
    }
    changes.setConnected(false)
    await listener.client.end()
  }
}

interface Listener {
  client: Client
  /** Resolves when the connection is lost. */
  ended: Promise<true>
  /** Snapshot whose commits are all counted. */
  snapshot: string
  readAt: number
}

/** Opens a connection that receives the notifications of other processes, and counts everything as changed once. */
async function openListener(
  { changes, self, peer, refresh }: CommitLogOptions,
  onCommit: () => void,
): Promise<Listener> {
  const client = await peer.connect()
  peer.restore()
  client.on('notification', ({ payload = '' }) => {
    const [sender, tables] = payload.split(' ')
    if (sender === self) return
    if (tables !== everyTable) return onCommit()
    changes.bumpAll()
    // Without the new foreign keys no cached value is reliable, so reconnect.
    refresh().catch(() => client.end())
  })
  const ended = new Promise<true>((resolve) => client.once('end', () => resolve(true)))
  try {
    await inTime(client.query(createTable), silenceMs).catch(ignoreRace)
    await inTime(client.query(`listen ${channel}`), silenceMs)
    await inTime(client.query(prepareRead), silenceMs)
    await refresh()
    const { snapshot } = await readCommits(client, self, emptySnapshot)
    changes.bumpAll()
    changes.setConnected(true)
    return { client, ended, snapshot, readAt: performance.now() }
  } catch (error) {
    if (error instanceof Silence) peer.suspend(error.message) // also ends the connection
    await client.end()
    throw error
  }
}

/** Returns the commits of other processes since a snapshot, and the snapshot that includes them. */
async function readCommits(
  client: Client,
  self: string,
  since: string,
): Promise<{ snapshot: string; commits: string[] }> {
  const [snapshot, commits] = await inTime(executePrepared(client, 'read_commits', [since, self]), silenceMs)
  if (!snapshot) throw new Error('PostgreSQL has no current snapshot')
  return { snapshot, commits: commits?.split(' ') ?? [] }
}

const deleteOld = `delete from recent_commits where committed_at < now() - interval '${keptMinutes} minutes'`

/** Ignores the error of the slower of two processes that create the table concurrently. */
function ignoreRace(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && (error.code === '23505' || error.code === '42P07'))) throw error
}

/**
 * Returns a function that runs `work` once for all callers that arrive before a run begins. A caller that arrives
 * during a run waits for the next one, because the current run may have read older data. A run begins two turns of the
 * event loop after its first caller or the end of the previous run, so that requests that have already arrived join it. In
 * an idle process two turns take a few microseconds. Exported for its test.
 */
export function runTogether(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<unknown> = Promise.resolve()
  let next: Promise<void> | undefined
  const start = () => {
    next = undefined
    const run = work()
    running = run.catch(() => {})
    return run
  }
  return () => {
    next ??= running.then(twoTurns).then(start)
    return next
  }
}

function twoTurns(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
}
