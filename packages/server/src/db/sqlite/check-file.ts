import { isSqliteError, type SqliteConnection, type SqliteError } from './connection.ts'
import { connectSqlite } from './drivers.ts'
import { addFunctions } from './functions.ts'

/**
 * Checks a file and returns the problems found; an unreadable file is one of them. With `isThorough`, also compares each
 * index with its table, which takes several times as long.
 */
export function checkFile(file: string, { isThorough = false } = {}): string[] {
  let database: SqliteConnection | undefined
  try {
    database = connectSqlite(file, { readonly: true, timeoutMs: 5_000 })
    addFunctions(database)
    // It reads each page once, and the memory of a larger cache is not returned when the thread ends.
    if (!isThorough) database.pragma('cache_size = -500')
    const pragma = isThorough ? 'integrity_check(20)' : 'quick_check(20)'
    const problems = database.pragma(pragma).map(String)
    return problems.length === 1 && problems[0] === 'ok' ? [] : problems
  } catch (error) {
    if (!isSqliteError(error) || isPassing(error)) throw error
    return [error.message]
  } finally {
    database?.close()
  }
}

/** Returns whether the error says nothing about the file: it is locked, or memory is short. */
const isPassing = ({ code }: SqliteError) => /^SQLITE_(BUSY|LOCKED|NOMEM)/.test(code)
