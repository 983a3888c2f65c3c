import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from './db/db.ts'
import { damagedDatabase } from './db/sqlite/storage-health.ts'
import type { Log } from './platform/log.ts'

/** Maximum time that a start waits for the check of the database. A longer check continues while the server runs. */
const checkTimeoutMs = 10_000
/** Delay that allows requests whose commit failed to be answered. */
const endDelayMs = 1_000

/**
 * Checks the database and throws when the file is damaged. Damage that is found after `checkTimeoutMs` ends the
 * process, so that its next start reports it.
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
 * Ends the process after a failed write to the disk. Until then every write is rejected; only a restart reads the true
 * state of the disk again.
 */
export function endWhenBroken(db: Database, log: Log): void {
  void db.broken.then((error) => endProcess(log, error))
}

function endProcess(log: Log, error: unknown): void {
  log.fatal({ err: error }, 'the storage of the database failed; the process ends and must be started again')
  // Skip the regular stop, because closing the database would copy unverified pages into its file.
  setTimeout(() => process.exit(1), endDelayMs)
}
