import type { Sql } from 'sql-template-tag'
import { createChangeLog, type ForeignKey } from './changes.ts'
import type { Database, Db, Dialect, TransactionOptions } from './db.ts'
import type { CheckpointResult } from './sqlite/wal-checkpointer.ts'

export type DatabaseOptions =
  | {
      kind: 'sqlite'
      file: string
      /** Opens a database whose log is damaged, without the commits that cannot be read any more. */
      acceptLoss?: boolean
      /** For tests: copies the log into the file instead of SQLite. */
      checkpoint?: (file: string) => Promise<CheckpointResult>
    }
  /** `connections` share all statements outside transactions; transactions have connections of their own. */
  | { kind: 'postgres'; url: string; connections?: number }

/** Opens the database. It may still need its migrations. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const changes = createChangeLog()
  const engine = await openEngine()
  const refresh = async () => changes.refresh(await engine.foreignKeys())
  await refresh()

  let closed: Promise<void> | undefined
  const database: Database & SchemaOwner = {
    ...statements(engine.dialect, engine.execute, engine.settled),
    transaction: (work, options) => engine.transaction((session) => runWork(engine.dialect, session, work), options),
    changes: { stamp: changes.stamp, watch: changes.watch, synchronize: engine.synchronize },
    ready: engine.ready,
    broken: engine.broken,
    check: engine.check,
    close() {
      closed ??= engine.close()
      return closed
    },
    async schemaChanged() {
      changes.bumpAll()
      await refresh()
      await engine.schemaChanged()
    },
  }
  return database

  // Each driver is loaded only where it is used.
  async function openEngine(): Promise<Engine> {
    if (options.kind === 'sqlite') return (await import('./sqlite/engine.ts')).openSqlite(options, changes)
    return (await import('./postgres/engine.ts')).openPostgres(options, changes)
  }
}

/** What an engine does; `openDatabase` makes a `Database` of it. */
export interface Engine {
  readonly dialect: Dialect
  /** Runs one statement outside a transaction; a write is committed and counted when it resolves. */
  readonly execute: Execute
  transaction<T>(work: (session: Session) => Promise<T>, options?: TransactionOptions): Promise<T>
  /** Resolves when every commit so far would outlive a power cut. */
  settled(): Promise<void>
  foreignKeys(): Promise<ForeignKey[]>
  /** See `Changes`. */
  synchronize(): Promise<void> | undefined
  /** Forgets what was prepared, and notifies the other processes. */
  schemaChanged(): Promise<void>
  ready(): Promise<void>
  /** See `Database.broken`. */
  readonly broken: Promise<Error>
  check(options?: { isThorough?: boolean }): Promise<string[]>
  close(): Promise<void>
}

export type Execute = (query: Sql, want: Want) => Promise<Result>
/** `one` allows the engine to stop after a row. */
export type Want = 'all' | 'one' | 'run'
export interface Result {
  rows: unknown[]
  changed: number
}

export interface Session extends ScriptRunner {
  readonly execute: Execute
}

/** A transaction that can run several statements as one text. For migrations only, so it is not part of `Db`. */
export interface ScriptRunner {
  script(text: string): Promise<void>
}

/** A database that is told when migrations have run. */
export interface SchemaOwner {
  schemaChanged(): Promise<void>
}

function statements(dialect: Dialect, execute: Execute, settled: () => Promise<void>): Db {
  return {
    dialect,
    settled,
    // `Row` is what the caller's statement selects: no type can check that.
    all: async <Row>(query: Sql) => (await execute(query, 'all')).rows as Row[],
    one: async <Row>(query: Sql) => (await execute(query, 'one')).rows[0] as Row | undefined,
    run: async (query) => (await execute(query, 'run')).changed,
  }
}

/**
 * Gives both engines PostgreSQL's rule: a statement that failed spoils its transaction, even when the work caught the
 * error; and ends the handle with the work.
 */
async function runWork<T>(dialect: Dialect, session: Session, work: (db: Db) => Promise<T>): Promise<T> {
  let ended = false
  let failure: unknown
  const guarded = async <Answer>(statement: () => Promise<Answer>): Promise<Answer> => {
    if (ended) throw new Error('this transaction has ended; use the database, or await every statement inside the work')
    if (failure) throw new Error('an earlier statement of this transaction failed', { cause: failure })
    try {
      return await statement()
    } catch (error) {
      failure ??= error
      throw error
    }
  }
  const db: Db & ScriptRunner = {
    ...statements(
      dialect,
      (query, want) => guarded(() => session.execute(query, want)),
      async () => {},
    ),
    script: (text) => guarded(() => session.script(text)),
  }
  try {
    const result = await work(db)
    if (failure) throw failure
    return result
  } finally {
    ended = true
  }
}
