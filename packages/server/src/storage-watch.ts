import { setTimeout as delay } from 'node:timers/promises'
import type { CheckOptions, Database } from './db/db.ts'
import { damagedDatabase } from './db/sqlite/storage-health.ts'
import type { Log } from './platform/log.ts'

/** Maximum time that a start waits for the check of the database. A longer check continues while the server runs. */
const checkTimeoutMs = 10_000
/** Delay that allows requests whose commit failed to be answered. */
const endDelayMs = 1_000

/**
 * Checks the database and throws if it is damaged. Returns after `checkTimeoutMs` even if the check goes on; damage found
 * later resolves `db.broken`.
 */
export async function checkDatabase(db: Database, log: Log): Promise<void> {
  const checking = check(db, log).then((problems) => {
    if (problems.length > 0) throw damagedDatabase(problems)
  })
  const isOver = await Promise.race([checking.then(() => true), delay(checkTimeoutMs, false, { ref: false })])
  if (isOver) return
  log.info('the database is large: the server starts, and the check of the database goes on')
  checking.catch(() => {}) // `endWhenBroken` logs the damage.
}

/** Checks the database while the server runs. Damage resolves `db.broken`. */
export function checkWhileServing(db: Database, log: Log): void {
  log.info('the last process stopped cleanly: the database is checked while the server runs')
  void check(db, log, { isLowPriority: true })
}

/** Returns the damage found; none if the check itself fails, for example because its process cannot be started. */
async function check(db: Database, log: Log, options?: CheckOptions): Promise<readonly string[]> {
  try {
    return await db.check(options)
  } catch (error) {
    log.error({ err: error }, 'the database could not be checked; the next start tries again')
    return []
  }
}

/**
 * Ends the process after the storage of the database has failed or damage was found. Every write is rejected meanwhile; only
 * a restart reads the true state of the disk again.
 */
export function endWhenBroken(db: Database, log: Log): void {
  void db.broken.then((error) => {
    log.fatal({ err: error }, 'the storage of the database failed; the process ends and must be started again')
    // Skip the regular stop, because closing the database would copy unverified pages into its file.
    setTimeout(() => process.exit(1), endDelayMs)
  })
}
