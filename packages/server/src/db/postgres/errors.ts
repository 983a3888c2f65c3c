import pg from 'pg'
import { Failure, unavailable } from '../../platform/failure.ts'

/** Returns true for a serialization failure or deadlock, after which the transaction can be retried. */
export const isConflict = (error: unknown): boolean => hasCode(error, /^(40001|40P01)$/)

/** Returns true when another process changed the columns of a prepared statement. */
export const isStalePlan = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.code === '0A000' && error.routine === 'RevalidateCachedQuery'

/** Returns true when the pipelined statement that should have prepared this one failed. */
export const isUnprepared = (error: unknown): boolean => hasCode(error, /^(26000|42P05)$/)

/** Returns true when the server is a standby or was made read-only, so that another server may be the primary. */
export function isReadOnly(error: unknown): boolean {
  return error instanceof Failure ? readOnly.has(error) : hasCode(error, /^25006$/)
}

export function readOnlyServer(why = 'the server is a standby, or read-only'): Failure {
  const failure = new Failure({ kind: 'unavailable', what: 'the database', reason: 'the database is read-only', why })
  readOnly.add(failure)
  return failure
}

/**
 * SQLSTATE codes unrelated to the statement itself: connection (08), resources and disk (53, 58000, 58030), a stopping
 * or starting server (57P0x), timeouts of statements and locks (57014, 55P03), an idle transaction (25P03), and a
 * read-only server (25006).
 */
const outageCodes = /^(08...|53...|58000|58030|57P0.|57014|55P03|25P03|25006)$/

const readOnly = new WeakSet<Failure>()
const rejected = new WeakSet<Failure>()

/** Returns true when the server rejected the statement and kept the session, so that the statement had no effect. */
export const wasRejected = (error: unknown): boolean => error instanceof Failure && rejected.has(error)

/** Converts outages into `unavailable`. Keeps other errors of the server. */
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

/** Returns true for every error that is not the server's response to this statement. */
function isOutage(error: unknown): boolean {
  if (error instanceof Failure) return false
  return !(error instanceof pg.DatabaseError) || outageCodes.test(error.code ?? '')
}

function hasCode(error: unknown, pattern: RegExp): boolean {
  return error instanceof pg.DatabaseError && pattern.test(error.code ?? '')
}
