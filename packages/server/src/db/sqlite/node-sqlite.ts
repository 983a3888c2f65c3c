import type { ConnectionOptions, SqliteConnection, SqliteDriver, SqliteStatement } from './connection.ts'

/** Part of Node's module `node:sqlite` that Alcove uses, from Node 22.16 on. */
export interface NodeSqlite {
  DatabaseSync: new (file: string, options: { readOnly?: boolean; timeout?: number }) => NodeDatabase
}

interface NodeDatabase {
  readonly isTransaction: boolean
  exec(sql: string): void
  prepare(sql: string): NodeStatement
  function(name: string, options: { deterministic: true }, work: (...values: unknown[]) => unknown): void
  close(): void
}

interface NodeStatement {
  columns(): { name: string; type: string | null }[]
  setReturnArrays(enabled: boolean): void
  run(...values: unknown[]): { changes: number | bigint }
  /** Arrays, as `setReturnArrays` was called. */
  all(...values: unknown[]): unknown[][]
  get(...values: unknown[]): unknown[] | undefined
}

/** Returns the driver that uses Node's own SQLite. */
export function nodeSqlite({ DatabaseSync }: NodeSqlite): SqliteDriver {
  return (file, { readonly = false, timeoutMs }: ConnectionOptions) =>
    withCode(() => connectionOf(new DatabaseSync(file, { readOnly: readonly, timeout: timeoutMs })))
}

function connectionOf(database: NodeDatabase): SqliteConnection {
  const prepare = (sql: string) => {
    const statement = database.prepare(sql)
    statement.setReturnArrays(true)
    return statement
  }
  return {
    get isInTransaction() {
      return database.isTransaction
    },
    exec: (sql) => withCode(() => database.exec(sql)),
    pragma: (text) => withCode(() => prepare(`pragma ${text}`).all()).map(([value]) => value),
    prepare: (sql) =>
      withCode(() => statementOf(prepare(sql), isExplained(sql) || !writes(prepare(`explain ${sql}`).all()))),
    addFunction: (name, work) => database.function(name, { deterministic: true }, work),
    close: () => database.close(),
  }
}

function statementOf(statement: NodeStatement, isReadonly: boolean): SqliteStatement {
  return {
    isReadonly,
    columns: statement.columns().map(({ name, type }) => ({ name, type })),
    run: (values) => withCode(() => Number(statement.run(...values).changes)),
    all: (values) => withCode(() => statement.all(...values)),
    first: (values) => withCode(() => statement.get(...values)),
  }
}

const isExplained = (sql: string) => /^\s*explain\b/i.test(sql)

/**
 * Returns whether the byte code of a statement can change the database, by the rule of `sqlite3_stmt_readonly`, which Node
 * does not export. The columns of `explain` are addr, opcode, p1, p2, …
 */
const writes = (program: readonly unknown[][]) =>
  program.some(([, opcode, , isWrite]) =>
    opcode === 'Transaction' ? isWrite !== 0 : ['Checkpoint', 'JournalMode', 'Vacuum'].includes(String(opcode)),
  )

/** Adds the name of SQLite's extended result code to an error, of which Node reports the number. */
function withCode<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof Error && 'errcode' in error) Object.assign(error, { code: codeName(Number(error.errcode)) })
    throw error
  }
}

/** Returns the name of a result code: the exact one where it matters to Alcove, otherwise the name of its class. */
export function codeName(code: number): string {
  return extendedCodes[code] ?? `SQLITE_${primaryCodes[code & 0xff] ?? `UNKNOWN_${code}`}`
}

/** Names of the result codes 0 to 26, in the order of their numbers. */
const primaryCodes = (
  'OK ERROR INTERNAL PERM ABORT BUSY LOCKED NOMEM READONLY INTERRUPT IOERR CORRUPT NOTFOUND FULL CANTOPEN PROTOCOL ' +
  'EMPTY SCHEMA TOOBIG CONSTRAINT MISMATCH MISUSE NOLFS AUTH FORMAT RANGE NOTADB'
).split(' ')

const extendedCodes: Readonly<Record<number, string>> = {
  261: 'SQLITE_BUSY_RECOVERY',
  517: 'SQLITE_BUSY_SNAPSHOT',
  266: 'SQLITE_IOERR_READ',
  522: 'SQLITE_IOERR_SHORT_READ',
  778: 'SQLITE_IOERR_WRITE',
  1034: 'SQLITE_IOERR_FSYNC',
  1290: 'SQLITE_IOERR_DIR_FSYNC',
  1546: 'SQLITE_IOERR_TRUNCATE',
  3850: 'SQLITE_IOERR_LOCK',
  275: 'SQLITE_CONSTRAINT_CHECK',
  787: 'SQLITE_CONSTRAINT_FOREIGNKEY',
  1299: 'SQLITE_CONSTRAINT_NOTNULL',
  1555: 'SQLITE_CONSTRAINT_PRIMARYKEY',
  1811: 'SQLITE_CONSTRAINT_TRIGGER',
  2067: 'SQLITE_CONSTRAINT_UNIQUE',
  2579: 'SQLITE_CONSTRAINT_ROWID',
}
