import sql from 'sql-template-tag'
import type { Db } from '../../db/db.ts'

export interface StoredRequest {
  id: number
  fingerprint: string
  isAdmin: boolean
  leaseUntil: string
  isApplied: boolean
  response: string | null
}

export interface NewAttempt {
  userId: number
  keyHash: string
  fingerprint: string
  isAdmin: boolean
  attempt: string
  leaseUntil: string
  now: string
  /** Keys that were created earlier have expired. */
  forgottenBefore: string
}

/**
 * Claims the key for an attempt and returns its id. Returns `undefined` when another request uses the key, or when an
 * earlier attempt is running, has made changes or has a response.
 */
export async function claimKey(db: Db, made: NewAttempt): Promise<number | undefined> {
  const row = await db.one<{ id: number }>(sql`
    insert into idempotency_keys
      (user_id, key_hash, fingerprint, is_admin, attempt, lease_until, is_applied, created_at)
    values (${made.userId}, ${made.keyHash}, ${made.fingerprint}, ${made.isAdmin}, ${made.attempt},
      ${made.leaseUntil}, ${false}, ${made.now})
    on conflict (user_id, key_hash) do update set
      fingerprint = excluded.fingerprint, is_admin = excluded.is_admin, attempt = excluded.attempt,
      lease_until = excluded.lease_until, is_applied = excluded.is_applied, response = null,
      created_at = excluded.created_at
    where idempotency_keys.created_at < ${made.forgottenBefore}
      or (idempotency_keys.response is null and not idempotency_keys.is_applied
        and idempotency_keys.lease_until <= ${made.now} and idempotency_keys.fingerprint = ${made.fingerprint})
    returning id`)
  return row?.id
}

export function findKey(db: Db, userId: number, keyHash: string): Promise<StoredRequest | undefined> {
  return db.one<StoredRequest>(sql`
    select id, fingerprint, is_admin, lease_until, is_applied, response
    from idempotency_keys where user_id = ${userId} and key_hash = ${keyHash}`)
}

/** Counts the user's keys, up to a limit. */
export async function countKeys(db: Db, userId: number, max: number): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total
    from (select 1 from idempotency_keys where user_id = ${userId} limit ${max}) as counted`)
  return row?.total ?? 0
}

/** Marks that the attempt makes changes. Returns false when another attempt has taken the key over. */
export async function markApplied(db: Db, id: number, attempt: string): Promise<boolean> {
  const changed = await db.run(sql`
    update idempotency_keys set is_applied = ${true} where id = ${id} and attempt = ${attempt}`)
  return changed === 1
}

export async function renewLease(db: Db, id: number, attempt: string, leaseUntil: string): Promise<void> {
  await db.run(sql`
    update idempotency_keys set lease_until = ${leaseUntil} where id = ${id} and attempt = ${attempt}`)
}

export async function storeResponse(db: Db, id: number, attempt: string, response: string): Promise<void> {
  await db.run(sql`
    update idempotency_keys set response = ${response} where id = ${id} and attempt = ${attempt}`)
}

/** Ends all leases. With a single process, no attempt of an earlier process can still run. */
export async function endLeases(db: Db, now: string): Promise<void> {
  await db.run(sql`update idempotency_keys set lease_until = ${now} where response is null and lease_until > ${now}`)
}

export async function deleteKeysBefore(db: Db, time: string): Promise<void> {
  await db.run(sql`delete from idempotency_keys where created_at < ${time}`)
}
