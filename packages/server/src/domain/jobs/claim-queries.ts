import sql, { join, type Sql } from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import { type Job, jobColumns, type Place } from './job-queries.ts'

/** Plan steps that read whole tables, which PostgreSQL chooses without statistics, as after 100,000 new jobs. */
const wideSteps = ['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin']
const withoutWideSteps = join(wideSteps.map((step) => sql`set_config(${`enable_${step}`}, 'off', true)`))

/** Makes PostgreSQL prefer index scans until the transaction ends. */
export async function preferIndexes(db: Db): Promise<void> {
  if (db.dialect.engine === 'postgres') await db.one(sql`select ${withoutWideSteps}`)
}

/** Locks the queue until the transaction ends, so that no other transaction places, claims or ends a job. */
export async function lockQueue(db: Db): Promise<void> {
  await db.one(sql`select ticket from job_dispatch where id = 1 ${db.dialect.forUpdate}`)
}

/** Locks the queue and returns the next ticket. */
export async function takeTicket(db: Db): Promise<number> {
  const row = await db.one<{ ticket: number }>(sql`
    update job_dispatch set ticket = ticket + 1 where id = 1 returning ticket`)
  if (!row) throw new Error('the row of job_dispatch is missing')
  return row.ticket
}

export interface Clock {
  now: string
  /** Time beyond the clock skew: a job scheduled later was written by a wrong clock. */
  tomorrow: string
}

/** Returns the waiting jobs to place: new ones, those that are due, and those that a wrong clock delayed. */
export async function listUnplaced(db: Db, { now, tomorrow }: Clock, limit: number): Promise<number[]> {
  const rows = await db.all<{ id: number }>(sql`
    select id from (select id from jobs where stage = 'new' order by id limit ${limit}) as fresh
    union all
    select id from (select id from jobs where stage = 'delayed' and run_at <= ${now} order by run_at, id limit ${limit}) as due
    union all
    select id from (
      select id from jobs where stage = 'delayed' and scheduled_at > ${tomorrow}
      order by scheduled_at, id limit ${limit}) as misdated`)
  return [...new Set(rows.map(({ id }) => id))]
}

/** Condition for waiting jobs, in the exact form of the index `jobs_waiting_key`. */
const isWaiting = (alias = sql``) => sql`${alias}stage in ('new', 'behind', 'delayed', 'queued', 'ready')`

/** Moves each job to its next stage: behind another job with its key, delayed until its time, or queued. */
export async function placeJobs(db: Db, ids: readonly number[], ticket: number, clock: Clock): Promise<void> {
  const batch = db.dialect.integers(ids)
  await db.run(sql`
    update jobs set lane = coalesce(lane, kind), stage = case
        when state = 'running' then 'running'
        when state <> 'waiting' then 'over'
        when exists (select 1 from jobs other where other.key = jobs.key and other.stage = 'running') then 'behind'
        when exists (
          select 1 from jobs other where other.key = jobs.key and other.stage in ('delayed', 'queued', 'ready')
            and other.stage = 'ready') then 'behind'
        when exists (
          select 1 from jobs other where other.key = jobs.key and ${isWaiting(sql`other.`)} and other.id < jobs.id)
          then 'behind'
        when run_at > ${clock.now} and coalesce(scheduled_at, ${clock.now}) <= ${clock.tomorrow} then 'delayed'
        else 'queued' end
    where id in ${batch} and stage in ('new', 'delayed')`)
  // A job with a lower id may be committed after a job with a higher id was placed.
  await db.run(sql`
    update jobs set stage = 'behind', ticket = null
    where stage in ('delayed', 'queued', 'ready') and stage <> 'ready'
      and key in (select key from jobs placed where placed.id in ${batch} and placed.key is not null)
      and id > (select min(older.id) from jobs older where older.key = jobs.key and ${isWaiting(sql`older.`)})`)
  await db.run(sql`update jobs set ticket = ${ticket} where id in ${batch} and stage = 'queued' and ticket is null`)
}

/** Queued job, with its owner's state in the lane. */
export interface QueuedJob {
  id: number
  lane: string
  owner: string | null
  /** Number of the owner's jobs that run, are ready or are queued before this one; counted up to the limit. */
  ahead: number
  /** Latest turn of the owner's jobs. */
  ownerTurn: number | null
}

export async function listQueued(db: Db, ids: readonly number[], limit: number): Promise<QueuedJob[]> {
  const ofOwner = sql`other.lane = jobs.lane and other.owner = jobs.owner`
  const count = (rows: Sql) => sql`(select count(*) from (${rows} limit ${limit}) as counted)`
  return db.all(sql`
    select id, lane, owner,
      ${count(sql`select 1 from jobs other where ${ofOwner} and other.stage = 'ready'`)}
      + ${count(sql`select 1 from jobs other where ${ofOwner} and other.stage = 'running'`)}
      + ${count(sql`select 1 from jobs other where ${ofOwner} and other.stage = 'queued'
          and (other.ticket, other.id) < (jobs.ticket, jobs.id)`)} as ahead,
      coalesce(
        (select max(other.turn) from jobs other where ${ofOwner} and other.stage = 'ready'),
        (select max(other.turn) from jobs other where ${ofOwner} and other.stage = 'running')) as owner_turn
    from jobs where id in ${db.dialect.integers(ids)} and stage = 'queued' order by ticket, id`)
}

/** Returns the turn that a lane has reached. */
export async function findTurn(db: Db, lane: string): Promise<number> {
  const row = await db.one<{ turn: number | null }>(sql`
    select coalesce(
      (select min(turn) from jobs where stage = 'ready' and lane = ${lane}),
      (select max(turn) from jobs where stage = 'running' and lane = ${lane})) as turn`)
  return row?.turn ?? 0
}

export async function makeReady(db: Db, turns: readonly { id: number; turn: number }[]): Promise<void> {
  await db.run(sql`
    update jobs set stage = 'ready', turn = r.turn
    from ${db.dialect.records(turns, { id: 'integer', turn: 'integer' })} as r where jobs.id = r.id`)
}

/** Returns those of the lanes that have a ready job. */
export async function listReadyLanes(db: Db, lanes: readonly string[]): Promise<string[]> {
  const rows = await db.all<{ lane: string }>(sql`
    select r.lane from ${db.dialect.records(
      lanes.map((lane) => ({ lane })),
      { lane: 'text' },
    )} as r
    where exists (select 1 from jobs where stage = 'ready' and jobs.lane = r.lane)`)
  return rows.map(({ lane }) => lane)
}

export interface Lease {
  token: string
  expiresAt: string
}

/** Claims the next ready jobs of a lane. Requires the lock on the queue. */
export async function claimReady(
  db: Db,
  { lane, limit, lease, now }: { lane: string; limit: number; lease: Lease; now: string },
): Promise<Job[]> {
  return db.all(sql`
    update jobs set state = 'running', stage = 'running', attempts = attempts + 1, lease = ${lease.token},
      lease_expires_at = ${lease.expiresAt}, started_at = ${now}, done = null, total = null
    where id in (
      select id from jobs where stage = 'ready' and lane = ${lane}
        and not exists (select 1 from jobs other where other.key = jobs.key and other.stage = 'running')
      order by turn, id limit ${limit})
    returning ${jobColumns}`)
}

/** Deletes the waiting jobs of the key. */
export async function deleteWaitingJobs(db: Db, key: string): Promise<void> {
  await db.run(sql`delete from jobs where key = ${key} and ${isWaiting()}`)
}

/** Returns the next job of the key and the next job of the owner to the stage `new`, so that they are placed. */
export async function releaseSuccessors(db: Db, { key, lane, owner }: Place): Promise<void> {
  await lockQueue(db)
  if (key !== null) {
    await db.run(sql`
      update jobs set stage = 'new' where stage = 'behind' and id = (
        select id from jobs where key = ${key} and ${isWaiting()} order by id limit 1)`)
  }
  if (lane === null || owner === null) return
  await db.run(sql`
    update jobs set stage = 'new' where id = (
      select id from jobs where stage = 'queued' and lane = ${lane} and owner = ${owner} order by ticket, id limit 1)`)
}

/** Running job as seen by any process. */
export interface LeasedJob extends Pick<Job, 'id' | 'kind' | 'payload' | 'lane' | 'interruptions'> {
  lease: string | null
  leaseExpiresAt: string | null
}

export async function listRunning(db: Db): Promise<LeasedJob[]> {
  return db.all(sql`
    select id, kind, payload, lane, lease, lease_expires_at, interruptions from jobs where stage = 'running'`)
}

export interface Return {
  lane: string
  runAt: string
  now: string
  error: string
}

/**
 * Returns a job whose process ended to the queue; `undefined` when its lease was renewed or it is no longer running.
 */
export async function returnJob(
  db: Db,
  job: LeasedJob,
  { lane, runAt, now, error }: Return,
): Promise<Place | undefined> {
  const isSame = sql`coalesce(lease, '') = ${job.lease ?? ''} and (lease is null or lease_expires_at = ${job.leaseExpiresAt})`
  return db.one<Place>(sql`
    update jobs set state = 'waiting', stage = 'new', ticket = null, lane = ${lane}, run_at = ${runAt},
      scheduled_at = ${now}, attempts = attempts - 1, interruptions = interruptions + 1, lease = null,
      lease_expires_at = null, last_error = ${error}
    where id = ${job.id} and state = 'running' and ${isSame} returning key, lane, owner`)
}

/** Renews the leases of a process. Returns the tokens whose leases are still valid. */
export async function renewLeases(db: Db, tokens: readonly string[], expiresAt: string): Promise<string[]> {
  const rows = await db.all<{ lease: string }>(sql`
    update jobs set lease_expires_at = ${expiresAt}
    where stage = 'running' and lease in ${db.dialect.texts(tokens)} returning lease`)
  return rows.map(({ lease }) => lease)
}

/** Ends all leases. With a single process, any job that runs at its start was abandoned by the previous process. */
export async function endAllLeases(db: Db): Promise<void> {
  await db.run(sql`update jobs set lease = null, lease_expires_at = null where state = 'running'`)
}

/**
 * Marks a batch of waiting jobs above an id to be placed again. Returns the last id, or `undefined` if there were none.
 */
export async function replaceJobs(db: Db, after: number, limit: number): Promise<number | undefined> {
  const rows = await db.all<{ id: number }>(sql`
    update jobs set stage = 'new' where state = 'waiting' and id in (
      select id from jobs where state = 'waiting' and stage not in ('new', 'delayed', 'ready') and id > ${after}
      order by id limit ${limit})
    returning id`)
  return rows.length === 0 ? undefined : Math.max(...rows.map(({ id }) => id))
}
