import { existsSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { isSqliteError, type SqliteConnection } from './connection.ts'
import { connectSqlite } from './drivers.ts'
import type { CheckpointResult } from './wal-checkpointer.ts'

// Runs on a worker thread: see wal-checkpointer.ts.
parentPort?.on('message', (file: string) => parentPort?.postMessage(checkpoint(file)))

/** Runs a checkpoint. Returns failures as values, because an error loses its code between threads. */
function checkpoint(file: string): CheckpointResult {
  let database: SqliteConnection | undefined
  // A connection would create it.
  if (!existsSync(file)) return { isDone: false, code: 'SQLITE_CANTOPEN', message: `${file} is missing` }
  try {
    database = connectSqlite(file, { timeoutMs: 5_000 })
    database.pragma('synchronous = normal')
    const [, , checkpointed] = database.prepare('pragma wal_checkpoint(passive)').first([]) ?? []
    return { isDone: true, checkpointed: Number(checkpointed) }
  } catch (error) {
    if (!isSqliteError(error)) throw error
    return { isDone: false, code: error.code, message: error.message }
  } finally {
    database?.close()
  }
}
