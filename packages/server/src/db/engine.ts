import type { Sql } from 'sql-template-tag'
import type { ForeignKey } from './changes.ts'
import type { CheckOptions, Db, Dialect, TransactionOptions } from './db.ts'
import type { CheckpointResult } from './sqlite/wal-checkpointer.ts'

export type DatabaseOptions =
  | {
      kind: 'sqlite'
      file: string
      /** Opens a database with a damaged log, without the commits that can no longer be read. */
      acceptLoss?: boolean
      /** Replaces SQLite's checkpoint in tests. */
      checkpoint?: (file: string) => Promise<CheckpointResult>
    }
  /**
   * `connections` is the number that statements outside transactions share; each transaction has its own. Only a restore
   * opens a database whose restore has not ended.
   */
  | { kind: 'postgres'; url: string; connections?: number; isRestore?: boolean }

/** Database engine, from which `openDatabase` builds a `Database`. */
export interface Engine {
  readonly dialect: Dialect
  /** Runs one statement outside a transaction. Resolves when a write is committed and counted. */
  readonly execute: Execute
  transaction<T>(work: (session: Session) => Promise<T>, options?: TransactionOptions): Promise<T>
  /** See `Database.canExtendTransaction`. */
  canExtendTransaction(): boolean
  /** Resolves when all earlier commits would survive a power failure. */
  whenDurable(): Promise<void>
  foreignKeys(): Promise<ForeignKey[]>
  /** See `Changes`. */
  synchronize(): Promise<void> | undefined
  /** Discards prepared statements and notifies the other processes. */
  schemaChanged(): Promise<void>
  ready(): Promise<void>
  /** See `Database.broken`. */
  readonly broken: Promise<Error>
  /** See `Database.withoutMemoryMap`. */
  withoutMemoryMap<T>(work: () => Promise<T>): Promise<T>
  /** See `Database.canDeferCheck`. */
  readonly canDeferCheck: boolean
  check(options?: CheckOptions): Promise<readonly string[]>
  close(): Promise<void>
}

export type Execute = (query: Sql, mode: ResultMode) => Promise<Result>

/** Kind of result; `one` allows the engine to stop after the first row. */
export type ResultMode = 'all' | 'one' | 'run'

export interface Result {
  rows: unknown[]
  changed: number
}

export interface Session extends ScriptRunner {
  readonly execute: Execute
}

/** Transaction that can run several statements as one script. It is for migrations only, and so not part of `Db`. */
export interface ScriptRunner {
  script(text: string): Promise<void>
}

/** Returns the transaction with its scripts. */
export function withScripts(tx: Db): Db & ScriptRunner {
  return tx as Db & ScriptRunner // both engines make transactions that run scripts
}

/** Database that must be notified after migrations. */
export interface SchemaOwner {
  schemaChanged(): Promise<void>
}
