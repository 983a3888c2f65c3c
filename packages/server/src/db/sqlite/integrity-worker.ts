import { parentPort } from 'node:worker_threads'
import Sqlite from 'better-sqlite3'
import { addFunctions } from './functions.ts'
import type { IntegrityJob } from './integrity.ts'

// Runs on a worker thread: see integrity.ts.
parentPort?.on('message', (job: IntegrityJob) => parentPort?.postMessage(check(job)))

/** Checks a file. Returns an unreadable file as a problem like any other. */
function check({ file, isThorough }: IntegrityJob): string[] {
  let database: Sqlite.Database | undefined
  try {
    database = new Sqlite(file, { readonly: true, fileMustExist: true, timeout: 5_000 })
    addFunctions(database)
    const pragma = isThorough ? 'integrity_check(20)' : 'quick_check(20)'
    const rows = database.pragma(pragma) as Record<string, string>[] // SQLite documents one text column
    const problems = rows.flatMap((row) => Object.values(row))
    return problems.length === 1 && problems[0] === 'ok' ? [] : problems
  } catch (error) {
    if (!(error instanceof Sqlite.SqliteError)) throw error
    return [error.message]
  } finally {
    database?.close()
  }
}
