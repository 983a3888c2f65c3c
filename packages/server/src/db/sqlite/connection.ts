/** Connection to a SQLite file. better-sqlite3 and Node's own module each provide it (`drivers.ts`). */
export interface SqliteConnection {
  readonly isInTransaction: boolean
  /** Runs statements without parameters. */
  exec(sql: string): void
  /** Sets or reads a pragma. Returns the first value of each row. */
  pragma(text: string): unknown[]
  prepare(sql: string): SqliteStatement
  /** Adds a deterministic SQL function. */
  addFunction(name: string, work: (...values: unknown[]) => string | number | null): void
  close(): void
}

export interface SqliteStatement {
  /** Whether the statement cannot change the database. */
  readonly isReadonly: boolean
  /** Columns of the result; none for a statement without rows. `type` is the declared type of a table's column. */
  readonly columns: readonly { name: string; type: string | null }[]
  /** Executes the statement and returns the number of changed rows. */
  run(values: readonly unknown[]): number
  /** Returns the values of every row. */
  all(values: readonly unknown[]): unknown[][]
  /** Returns the values of the first row. */
  first(values: readonly unknown[]): unknown[] | undefined
}

export interface ConnectionOptions {
  readonly?: boolean
  /** Time to wait for the lock of another connection. */
  timeoutMs: number
}

/** Driver of SQLite: opens a connection and creates the file unless the connection is read-only. */
export type SqliteDriver = (file: string, options: ConnectionOptions) => SqliteConnection

/** Error of SQLite with the name of its extended result code, such as `SQLITE_CONSTRAINT_UNIQUE`. */
export interface SqliteError extends Error {
  code: string
}

export function isSqliteError(error: unknown): error is SqliteError {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_')
}
