import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type pg from 'pg'
import { Failure } from '../../platform/failure.ts'
import { type ChangeLog, describeCommit, type ForeignKey, foreignKeyQueries } from '../changes.ts'
import type { TransactionOptions } from '../db.ts'
import type { Engine, Result, Session } from '../engine.ts'
import { rowReader } from '../rows.ts'
import { plainValue, postgresDialect, statementName } from '../sql.ts'
import { type CommitLog, openCommitLog } from './commit-log.ts'
import { type Connections, command, openConnections } from './connections.ts'
import { isConflict, isReadOnly, isStalePlan, isUnprepared, unavailableBecause, wasRejected } from './errors.ts'

const maxAttempts = 5

/**
 * Opens the PostgreSQL engine. Plain queries are pipelined on a few shared connections. Statements that write or may
 * wait for a lock use a separate connection, so that they never delay other queries.
 */
export async function openPostgres(
  options: { url: string; connections?: number },
  changes: ChangeLog,
): Promise<Engine> {
  const self = randomBytes(6).toString('hex')
  const connections = openConnections(options.url, options.connections ?? 4)

  const engine: Engine = {
    dialect: postgresDialect,
    async execute(query, mode) {
      const { text, values } = query
      const written = changes.tablesWritten(text)
      if (written.length > 0) return engine.transaction((session) => session.execute(query, mode))
      for (let attempt = 1; ; attempt++) {
        const { client, retire } = await connections.shared()
        try {
          return await send(client, text, values)
        } catch (error) {
          // A standby cancels queries that conflict with its replay.
          if (isConflict(error)) throw unavailableBecause(error)
          if (isUnprepared(error) && attempt === maxAttempts) throw unavailableBecause(error)
          if (!isStalePlan(error) && !isUnprepared(error)) throw error
          retire()
        }
      }
    },

    transaction: (work, options = {}) => runTransaction({ changes, connections, commits }, work, options),
    // The server's own settings determine when a commit is durable.
    whenDurable: async () => {},
    async foreignKeys() {
      const { rows } = await command((await connections.shared()).client, foreignKeyQueries.postgres)
      return rows as ForeignKey[] // the columns of the query
    },
    async schemaChanged() {
      await command((await connections.shared()).client, commits.schemaChanged())
    },
    ready: connections.probe,
    broken: new Promise(() => {}),
    withoutMemoryMap: (work) => work(),
    canExtendTransaction: () => false,
    canDeferCheck: false,
    check: async () => [], // PostgreSQL verifies its own pages
    synchronize: () => commits.synchronize(),
    async close() {
      await Promise.all([commits.close(), connections.close()])
    },
  }

  const refresh = async () => changes.refresh(await engine.foreignKeys())
  const commits = await openCommitLog({ changes, self, peer: connections, refresh }).catch(async (error: unknown) => {
    await connections.close()
    throw error
  })
  return engine
}

interface TransactionContext {
  changes: ChangeLog
  connections: Connections
  commits: CommitLog
}

/** Runs a transaction, and repeats it after a conflict. */
async function runTransaction<Value>(
  { changes, connections, commits }: TransactionContext,
  work: (session: Session) => Promise<Value>,
  { isRelaxed = false, project }: TransactionOptions,
): Promise<Value> {
  for (let attempt = 1; ; ) {
    const client = await connections.dedicated()
    const written = new Set<string>()
    let failure: unknown
    let committing = false
    let usable = true
    const remember = (error: unknown) => {
      failure ??= error
      throw error
    }
    const session: Session = {
      execute({ text, values }) {
        for (const table of changes.tablesWritten(text)) written.add(table)
        return send(client, text, values).catch(remember)
      },
      // Migrations have no time limit.
      script: (text) => command(client, text, 0).then(() => {}, remember),
    }
    try {
      // Not awaited: it is sent with the first statement, which fails if it does.
      const begun = command(client, isRelaxed ? 'begin; set local synchronous_commit = off' : 'begin')
      begun.catch(() => {})
      const result = await work(session)
      committing = true
      await commit(client, begun, written.size > 0 ? commits.record(describeCommit(written, project)) : [])
      return result
    } catch (error) {
      usable = await command(client, 'rollback').then(
        () => !isStalePlan(failure),
        () => false,
      )
      // A connection has a stale plan at most once per schema change, so this does not count as an attempt.
      const again = isStalePlan(failure) || (isConflict(failure ?? error) && attempt++ < maxAttempts)
      if (isReadOnly(failure ?? error)) connections.drop()
      if (committing && !wasRejected(error) && isUnavailable(error)) error.cause.isOutcomeUnknown = true
      if (!again) throw isConflict(failure ?? error) ? unavailableBecause(failure ?? error) : error
    } finally {
      // The commit may have succeeded even if its response was lost.
      if (committing) changes.bump(describeCommit(written, project))
      client.release(!usable)
    }
    await setTimeout(Math.random() * 20 * attempt)
  }
}

/** Commits in one round trip. The log entry for other processes is part of the transaction. */
async function commit(
  client: pg.ClientBase,
  begun: Promise<unknown>,
  records: readonly pg.QueryConfig[],
): Promise<void> {
  const recorded = records.map((query) => command(client, query))
  const [ended] = await Promise.all([command(client, 'commit'), begun, ...recorded])
  if (ended.command !== 'COMMIT') throw new Error('PostgreSQL rolled the transaction back instead of committing it')
}

async function send(client: pg.ClientBase, text: string, unbound: readonly unknown[]): Promise<Result> {
  const values = unbound.map(plainValue)
  const name = statementName(text)
  const query = { ...(name !== undefined && { name }), text, values, rowMode: 'array' }
  const { rows, fields, rowCount } = await command(client, query)
  // With `rowMode: 'array'` the rows are lists of values.
  return { rows: (rows as unknown[][]).map(rowReader(fields)), changed: rowCount ?? 0 }
}

type Unavailable = Failure & { cause: { kind: 'unavailable' } }

function isUnavailable(error: unknown): error is Unavailable {
  return error instanceof Failure && error.cause.kind === 'unavailable'
}
