import { setTimeout } from 'node:timers/promises'
import type { Client, QueryConfig } from 'pg'
import type { ChangeLog } from '../changes.ts'
import { inTime, Silence } from '../in-time.ts'

/**
 * The commits of all processes on one PostgreSQL database. Every transaction that writes adds a row with its own
 * transaction id; a process reads the rows that its last snapshot did not see. So a commit counts everywhere as soon as
 * it is visible, and a notification only makes idle processes look at once.
 */
export interface CommitLog {
  /** The statements that record a commit, to be sent inside its transaction. */
  record(tables: Iterable<string>): QueryConfig[]
  /** Notifies the other processes that the schema has changed. */
  schemaChanged(): string
  /** Resolves when every commit that ended before this call is counted here. Never rejects. */
  synchronize(): Promise<void>
  close(): Promise<void>
}

export interface CommitLogOptions {
  changes: ChangeLog
  /** Identifies this process; its own commits have been counted by their transactions. */
  self: string
  peer: Peer
  /** Reads the foreign keys, also after another process has run migrations. */
  refresh: () => Promise<void>
}

/** What the log needs of the connections, and what it reports to them about the server. */
interface Peer {
  connect(): Promise<Client>
  /** The server does not respond, or refuses connections. */
  suspend(why: string): void
  /** The server responds again. */
  restore(): void
}

const channel = 'alcove_changes'
const everyTable = '*'
const heartbeatMs = 2_000
const silenceMs = 5_000
const maxReconnectDelayMs = 1_000
const keptMinutes = 60
const cleanUpEveryMs = 10 * 60 * 1000
/** Rows that a process has not read for this long may have been deleted. */
const maxAgeMs = 30 * 60 * 1000

// Unlogged: after a crash of PostgreSQL every connection is new, and a new one trusts nothing it has cached.
const createTable = `
  create unlogged table if not exists recent_commits (
    xid xid8 primary key, process text not null, tables text not null, committed_at timestamptz not null)`

const recordCommit = `
  insert into recent_commits (xid, process, tables, committed_at) values (pg_current_xact_id(), $1, $2, now())`

// The upper bound leaves out rows that were restored from another server, whose transaction ids mean nothing here.
const readCommits = `
  select pg_current_snapshot()::text as snapshot, array(
    select distinct tables from recent_commits
    where process <> $2 and xid >= pg_snapshot_xmin($1::pg_snapshot)
      and xid < pg_snapshot_xmax(pg_current_snapshot())
      and not pg_visible_in_snapshot(xid, $1::pg_snapshot)) as commits`

/**
 * Opens the log over a connection of its own; resolves once that stands. A server that does not respond there, or that takes
 * no new connection, suspends the peer until it does.
 */
export async function openCommitLog({ changes, self, peer, refresh }: CommitLogOptions): Promise<CommitLog> {
  const closing = new AbortController()
  const pause = (ms: number) => setTimeout(ms, false, { ref: false, signal: closing.signal }).catch(() => true)
  const synchronize = runTogether(readNew)
  // Notifications may arrive while the first connection is being opened; its snapshot is taken after them.
  let isOpen = false
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

  async function listen() {
    const client = await peer.connect()
    peer.restore()
    client.on('notification', ({ payload = '' }) => {
      const [sender, tables] = payload.split(' ')
      if (sender === self) return
      if (tables !== everyTable) return void (isOpen && synchronize())
      changes.bumpAll()
      // Without the new foreign keys no cached value can be trusted: connect again.
      refresh().catch(() => client.end())
    })
    const ended = new Promise<true>((resolve) => client.once('end', () => resolve(true)))
    try {
      await inTime(client.query(createTable), silenceMs).catch(ignoreRace)
      await inTime(client.query(`listen ${channel}`), silenceMs)
      await refresh()
      const { snapshot } = await read(client, undefined)
      changes.bumpAll()
      changes.setConnected(true)
      return { client, ended, snapshot, readAt: performance.now() }
    } catch (error) {
      if (error instanceof Silence) peer.suspend(error.message) // ends the connection, too
      await client.end()
      throw error
    }
  }

  /** Counts the commits since the last snapshot. Without an answer nothing cached is trusted until a new connection. */
  async function readNew(): Promise<void> {
    const current = listener
    // While disconnected the stamp is unknown, so nothing is served from a cache.
    if (changes.stamp([]) === undefined) return
    try {
      const { snapshot, commits } = await read(current.client, current.snapshot)
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

  async function read(client: Client, snapshot: string | undefined): Promise<{ snapshot: string; commits: string[] }> {
    const query = { name: 'read_commits', text: readCommits, values: [snapshot ?? '1:1:', self] }
    const { rows } = await inTime(client.query<{ snapshot: string; commits: string[] }>(query), silenceMs)
    const [row] = rows
    if (!row) throw new Error('PostgreSQL has no current snapshot')
    return row
  }

  /** Replaces the connection whenever it is lost; reading regularly notices a peer that vanished silently. */
  async function attend() {
    let cleanedAt = performance.now()
    while (!closing.signal.aborted) {
      const { client, ended } = listener
      const lost = await Promise.race([ended, pause(heartbeatMs)])
      if (!lost) {
        await synchronize()
        if (performance.now() - cleanedAt < cleanUpEveryMs) continue
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
          // Once for each outage: a readiness probe may notice sooner than this loop that it is over.
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

const deleteOld = `delete from recent_commits where committed_at < now() - interval '${keptMinutes} minutes'`

/** Two processes that create the table at once: one of them fails, and the table is there. */
function ignoreRace(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && (error.code === '23505' || error.code === '42P07'))) throw error
}

/**
 * Runs `work` for all callers that arrive before it begins. A caller that arrives while it runs waits for the next run,
 * because what this one reads may be older than the call. Exported for its test.
 */
export function runTogether(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined
  const start = () => {
    const run = work().finally(() => {
      if (running === run) running = undefined
    })
    running = run
    return run
  }
  return () => {
    if (!running) return start()
    next ??= running.then(() => {
      next = undefined
      return start()
    })
    return next
  }
}
