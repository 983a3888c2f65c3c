import { parentPort } from 'node:worker_threads'
import Sqlite from 'better-sqlite3'
import type { CheckpointResult } from './wal-checkpointer.ts'

// Runs on a worker thread: see wal-checkpointer.ts.
parentPort?.on('message', (file: string) => parentPort?.postMessage(checkpoint(file)))

/** Runs a checkpoint. Returns failures as values, because an error loses its code between threads. */
function checkpoint(file: string): CheckpointResult {
  let database: Sqlite.Database | undefined
  try {
    database = new Sqlite(file, { fileMustExist: true, timeout: 5_000 })
    database.pragma('synchronous = normal')
    database.pragma('wal_checkpoint(passive)')
    return { isDone: true }
  } catch (error) {
    if (!(error instanceof Sqlite.SqliteError)) throw error
    return { isDone: false, code: error.code, message: error.message }
  } finally {
    database?.close()
  }
}
