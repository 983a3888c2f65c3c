import pg from 'pg'
import { Failure, unavailable } from '../../platform/failure.ts'

/** A serialization failure or a deadlock: running the transaction again may succeed. */
export const isConflict = (error: unknown): boolean => hasCode(error, /^(40001|40P01)$/)

/** Another process has changed the columns of a prepared statement. */
export const isStalePlan = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === '0A000' && error.routine === 'RevalidateCachedQuery'

/** The statement that would have prepared this one failed, and both were on their way at the same time. */
export const isUnprepared = (error: unknown): boolean => hasCode(error, /^(26000|42P05)$/)

/** The server is a standby, or was made read-only: another one may be the primary. */
export function isReadOnly(error: unknown): boolean {
  return error instanceof Failure ? readOnly.has(error) : hasCode(error, /^25006$/)
}

export function readOnlyServer(why = 'the server is a standby, or read-only'): Failure {
  const failure = new Failure({ kind: 'unavailable', what: 'the database', reason: 'the database is read-only', why })
  readOnly.add(failure)
  return failure
}

/**
 * Errors that say nothing about the statement itself: the connection (08), resources and disk (53, 58000, 58030), a
 * server that stops or starts (57P0x), a statement or a lock that took too long (57014, 55P03), a transaction that idled
 * (25P03), and a server that cannot write (25006).
 */
const outageCodes = /^(08...|53...|58000|58030|57P0.|57014|55P03|25P03|25006)$/

const readOnly = new WeakSet<Failure>()
const rejected = new WeakSet<Failure>()

/** Whether the server itself rejected the statement and kept the session: then it had no effect. */
export const wasRejected = (error: unknown): boolean => error instanceof Failure && rejected.has(error)

/** Turns outages into `unavailable`; other errors of the server stay what they are. */
export async function orUnavailable<Result>(result: Promise<Result>): Promise<Result> {
  try {
    return await result
  } catch (error) {
    throw isOutage(error) ? unavailableBecause(error) : error
  }
}

export function unavailableBecause(error: unknown): Failure {
  const why = error instanceof Error ? error.message : String(error)
  const failure = isReadOnly(error) ? readOnlyServer(why) : unavailable('the database', why)
  if (error instanceof pg.DatabaseError && error.severity === 'ERROR') rejected.add(failure)
  return failure
}

/** Everything that is not a response of the server to this statement is an outage, too. */
function isOutage(error: unknown): boolean {
  if (error instanceof Failure) return false
  return !(error instanceof pg.DatabaseError) || outageCodes.test(error.code ?? '')
}

function hasCode(error: unknown, pattern: RegExp): boolean {
  return error instanceof pg.DatabaseError && pattern.test(error.code ?? '')
}
