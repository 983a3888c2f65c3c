import { parentPort } from 'node:worker_threads'
import Sqlite from 'better-sqlite3'
import { addFunctions } from './functions.ts'
import type { IntegrityJob } from './integrity.ts'

// Runs in a thread of its own: see integrity.ts.
parentPort?.on('message', (job: IntegrityJob) => parentPort?.postMessage(check(job)))

/** A file that cannot be read at all is as wrong as one with a wrong page. */
function check({ file, isThorough }: IntegrityJob): string[] {
  let database: Sqlite.Database | undefined
  try {
    database = new Sqlite(file, { readonly: true, fileMustExist: true, timeout: 5_000 })
    addFunctions(database)
    const pragma = isThorough ? 'integrity_check(20)' : 'quick_check(20)'
    const rows = database.pragma(pragma) as Record<string, string>[] // one text column, as SQLite documents it
    const problems = rows.flatMap((row) => Object.values(row))
    return problems.length === 1 && problems[0] === 'ok' ? [] : problems
  } catch (error) {
    if (!(error instanceof Sqlite.SqliteError)) throw error
    return [error.message]
  } finally {
    database?.close()
  }
}
