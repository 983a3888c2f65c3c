import type { Db } from '../../db/db.ts'
import { conflict, Failure, forbidden, unprocessable } from '../../platform/failure.ts'
import { type RootDeps, withRelaxedDurability } from '../deps.ts'
import {
  claimKey,
  countKeys,
  deleteKeysBefore,
  endLeases,
  findKey,
  markApplied,
  renewLease,
  type StoredRequest,
  storeResponse,
} from './idempotency-queries.ts'
import { fingerprint, hashKey, type StoredResponse, sealResponse, unsealResponse } from './sealed-response.ts'

const dayMs = 24 * 60 * 60 * 1000
const leaseMs = 60_000
/** Interval for retrying to abandon an attempt while the database is unavailable. */
const releaseRetryMs = 1_000
const maxKeysOfUser = 10_000
/** Maximum size of a stored response: about 256 KiB before encryption and Base64. */
const maxSealedCharacters = 350 * 1024

/** Request with an `Idempotency-Key`, and the content that distinguishes it from other requests. */
export interface KeyedRequest {
  key: string
  caller: { user: { id: number }; isAdmin: boolean }
  content: string
}

/** Only attempt at a request that may currently make changes. */
export interface Attempt {
  /** Marks that the attempt makes changes, in each transaction that writes. Throws when another attempt took over. */
  mark(tx: Db): Promise<void>
  /** Stores the response for repeated requests, unless it is too large. */
  finish(response: StoredResponse): Promise<void>
  /** Allows a repeated request to run, unless this attempt has made changes. */
  abandon(): Promise<void>
}

/**
 * Begins an attempt, or returns the response of an earlier one. Throws when the key belongs to another request, while
 * an earlier attempt runs, and when an earlier attempt made changes but its response is unknown.
 */
export async function beginAttempt(
  deps: RootDeps,
  { key, caller, content }: KeyedRequest,
): Promise<{ attempt: Attempt } | { response: StoredResponse }> {
  const userId = caller.user.id
  const keyHash = hashKey(key)
  const made = {
    userId,
    keyHash,
    fingerprint: fingerprint(key, content),
    isAdmin: caller.isAdmin,
    attempt: deps.random(12).toString('hex'),
    leaseUntil: later(deps, leaseMs),
    now: deps.now(),
    forgottenBefore: later(deps, -dayMs),
  }
  const found = await withRelaxedDurability(deps, async ({ db }) => {
    const id = await claimKey(db, made)
    if (id === undefined) return findKey(db, userId, keyHash)
    if ((await countKeys(db, userId, maxKeysOfUser + 1)) > maxKeysOfUser) throw tooManyKeys()
    return id
  })
  if (typeof found === 'number') return { attempt: openAttempt(deps, found, made.attempt, key) }
  if (!found) throw stillRunning() // the key was deleted concurrently
  return { response: responseOf(found, made, key) }
}

/** Deletes keys after a day. */
export async function removeOldKeys(deps: RootDeps): Promise<void> {
  await deleteKeysBefore(deps.db, later(deps, -dayMs))
}

/** Ends the attempts of an earlier process. Must run at the start; with SQLite there is only one process. */
export async function endAttemptsOfEarlierProcess(deps: RootDeps): Promise<void> {
  if (deps.db.dialect.engine === 'sqlite') await endLeases(deps.db, deps.now())
}

function responseOf(found: StoredRequest, made: { fingerprint: string; isAdmin: boolean; now: string }, key: string) {
  if (found.fingerprint !== made.fingerprint) {
    throw unprocessable('This Idempotency-Key was used for another request; use a new key for each request')
  }
  // A token with fewer rights must not read the response to one with more rights.
  if (found.isAdmin && !made.isAdmin) throw forbidden()
  if (found.response !== null) return unsealResponse(key, found.response)
  if (!found.isApplied || found.leaseUntil > made.now) throw stillRunning()
  throw conflict(
    'The first request with this Idempotency-Key made its change, but its response is not stored; ' +
      'look the result up instead of repeating the request',
  )
}

function openAttempt(deps: RootDeps, id: number, attempt: string, key: string): Attempt {
  const logFailure = (error: unknown) => deps.log.warn({ err: error }, 'an Idempotency-Key could not be updated')
  const renew = () => renewLease(deps.db, id, attempt, later(deps, leaseMs)).catch(logFailure)
  const timer = setInterval(() => void renew(), leaseMs / 3).unref()
  const release = () => withRelaxedDurability(deps, ({ db }) => renewLease(db, id, attempt, deps.now()))
  const abandon = async () => {
    clearInterval(timer)
    await release().catch((error) => {
      logFailure(error)
      releaseAfterOutage(release)
    })
  }
  return {
    abandon,
    async mark(tx) {
      if (!(await markApplied(tx, id, attempt))) throw stillRunning()
    },
    async finish(response) {
      const sealed = sealResponse(key, response)
      if (sealed.length > maxSealedCharacters) return abandon()
      clearInterval(timer)
      // Without a stored response, a repeated request receives the error that the change was already made.
      await withRelaxedDurability(deps, ({ db }) => storeResponse(db, id, attempt, sealed)).catch(logFailure)
    },
  }
}

/** Retries to release the key after an outage. Otherwise a repeated request would get 409 until the lease expires. */
function releaseAfterOutage(release: () => Promise<void>): void {
  let triesLeft = leaseMs / releaseRetryMs
  const timer = setInterval(() => {
    triesLeft -= 1
    if (triesLeft <= 0) clearInterval(timer)
    release().then(
      () => clearInterval(timer),
      () => {}, // still unavailable
    )
  }, releaseRetryMs).unref()
}

function stillRunning(): Failure {
  const sentence = 'A request with this Idempotency-Key is still in progress'
  return new Failure({ kind: 'conflict', sentence, retryAfterSeconds: 2 })
}

function tooManyKeys(): Failure {
  const sentence = `You have used more than ${maxKeysOfUser} Idempotency-Keys within 24 hours`
  return new Failure({ kind: 'too-many-requests', sentence })
}

function later({ now }: Pick<RootDeps, 'now'>, ms: number): string {
  return new Date(Date.parse(now()) + ms).toISOString()
}
