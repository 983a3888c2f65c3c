import type { Sql } from 'sql-template-tag'
import type { ForeignKey } from './changes.ts'
import type { Dialect, TransactionOptions } from './db.ts'
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
