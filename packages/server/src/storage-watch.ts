import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from './db/db.ts'
import { damagedDatabase } from './db/sqlite/storage-health.ts'
import type { Log } from './platform/log.ts'

/** How long a start waits for the check of the database; a larger one is checked to the end while the server runs. */
const checkTimeoutMs = 10_000
/** Long enough for the answers to the requests whose commit has failed. */
const endDelayMs = 1_000

/**
 * Throws when the database file is damaged. What is found after `checkTimeoutMs` ends the process, so that its next start
 * finds it again.
 */
export async function checkDatabase(db: Database, log: Log): Promise<void> {
  const checking = db.check().then((problems) => {
    if (problems.length > 0) throw damagedDatabase(problems)
  })
  const isOver = await Promise.race([checking.then(() => true), delay(checkTimeoutMs, false, { ref: false })])
  if (isOver) return
  log.info('the database is large: the server starts, and the check of the database goes on')
  checking.catch((error: unknown) => endProcess(log, error))
}

/**
 * Ends the process after a failure of the disk. Nothing is acknowledged any more; only a restart reads again what the disk
 * really has.
 */
export function endWhenBroken(db: Database, log: Log): void {
  void db.broken.then((error) => endProcess(log, error))
}

function endProcess(log: Log, error: unknown): void {
  log.fatal({ err: error }, 'the storage of the database failed; the process ends and must be started again')
  // Not through a stop: closing the database would copy unverified pages into its file.
  setTimeout(() => process.exit(1), endDelayMs)
}
