import type Sqlite from 'better-sqlite3'
import type { SqliteConnection, SqliteDriver, SqliteStatement } from './connection.ts'

/** Returns the driver that uses the package better-sqlite3. */
export function betterSqlite3(Database: typeof Sqlite): SqliteDriver {
  return (file, { readonly = false, timeoutMs }) => connectionOf(new Database(file, { readonly, timeout: timeoutMs }))
}

function connectionOf(database: Sqlite.Database): SqliteConnection {
  return {
    get isInTransaction() {
      return database.inTransaction
    },
    exec: (sql) => void database.exec(sql),
    pragma: (text) => rowsOf(database.prepare<unknown[], unknown[]>(`pragma ${text}`), []).map(([value]) => value),
    prepare: (sql) => statementOf(database.prepare<unknown[], unknown[]>(sql)),
    addFunction: (name, work) => void database.function(name, { deterministic: true }, work),
    close: () => void database.close(),
  }
}

function statementOf(statement: Sqlite.Statement<unknown[], unknown[]>): SqliteStatement {
  const columns = statement.reader ? statement.columns().map(({ name, type }) => ({ name, type })) : []
  // The driver builds objects more slowly.
  if (statement.reader) statement.raw()
  return {
    isReadonly: statement.readonly,
    columns,
    run: (values) => statement.run(...values).changes,
    all: (values) => statement.all(...values),
    first: (values) => statement.get(...values),
  }
}

function rowsOf(statement: Sqlite.Statement<unknown[], unknown[]>, values: unknown[]): unknown[][] {
  if (statement.reader) return statement.raw().all(...values)
  statement.run(...values)
  return []
}
