import { parentPort } from 'node:worker_threads'
import Sqlite from 'better-sqlite3'

// Runs in a thread of its own: see checkpoints.ts.
parentPort?.on('message', (file: string) => {
  const database = new Sqlite(file, { fileMustExist: true, timeout: 5_000 })
  try {
    database.pragma('synchronous = normal')
    database.pragma('wal_checkpoint(passive)')
  } finally {
    database.close()
  }
  parentPort?.postMessage('done')
})
