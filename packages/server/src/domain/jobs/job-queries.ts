import sql, { empty, type Sql } from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import type { JobCount } from '../../platform/metrics.ts'
import { laneWithOthers } from './lanes.ts'

export const jobStates = ['waiting', 'running', 'finished', 'failed'] as const
export type JobState = (typeof jobStates)[number]

/** Unit of deferred work, which any process may run. */
export interface Job {
  id: number
  kind: string
  key: string | null
  payload: object
  state: JobState
  attempts: number
  /** Number of runs that ended with their process since the job last made progress. */
  interruptions: number
  /** Number of consecutive runs that failed because a dependency was unavailable. */
  outages: number
  /** Defaults to the kind. */
  lane: string | null
  owner: string | null
  runAt: string
  /** Progress, in units of the kind. */
  done: number | null
  total: number | null
  lastError: string | null
  createdAt: string
  startedAt: string | null
  finishedAt: string | null
}

export interface JobDraft {
  kind: string
  key?: string
  lane?: string
  owner?: string
  payload: object
  runAt: string
  now: string
}

export async function insertJob(db: Db, draft: JobDraft): Promise<number> {
  const row = await db.one<{ id: number }>(sql`
    insert into jobs (kind, key, lane, owner, payload, run_at, scheduled_at, created_at)
    values (${draft.kind}, ${draft.key ?? null}, ${draft.lane ?? null}, ${draft.owner ?? null}, ${draft.payload},
      ${draft.runAt}, ${draft.now}, ${draft.now})
    returning id`)
  if (!row) throw new Error('an inserted job returned no row')
  return row.id
}

export async function updateProgress(
  db: Db,
  { id, token, done, total }: { id: number; token: string; done: number; total: number },
): Promise<void> {
  await db.run(sql`update jobs set done = ${done}, total = ${total} where ${isHeld(id, token)}`)
}

/** Key, lane and owner of a job that ended or was returned to the queue. */
export type Place = Pick<Job, 'key' | 'lane' | 'owner'>

/** Marks a job as finished. Returns `undefined` when this run no longer holds the lease. */
export async function finishJob(db: Db, id: number, token: string, now: string): Promise<Place | undefined> {
  return db.one<Place>(sql`
    update jobs set state = 'finished', stage = 'over', lease = null, lease_expires_at = null, last_error = null, finished_at = ${now}
    where ${isHeld(id, token)} returning key, lane, owner`)
}

export async function deleteHeldJob(db: Db, id: number, token: string): Promise<Place | undefined> {
  return db.one<Place>(sql`delete from jobs where ${isHeld(id, token)} returning key, lane, owner`)
}

export async function failJob(
  db: Db,
  { id, token, error, now }: { id: number; token: string; error: string; now: string },
): Promise<Place | undefined> {
  return db.one<Place>(sql`
    update jobs set state = 'failed', stage = 'over', lease = null, lease_expires_at = null, last_error = ${error}, finished_at = ${now}
    where ${isHeld(id, token)} returning key, lane, owner`)
}

export interface Postponement extends Pick<Job, 'runAt' | 'lane' | 'attempts' | 'interruptions' | 'outages'> {
  now: string
  error: string | null
}

/** Returns the job to the queue. */
export async function postponeJob(
  db: Db,
  id: number,
  token: string,
  { runAt, now, lane, attempts, interruptions, outages, error }: Postponement,
): Promise<Place | undefined> {
  const held = await db.one<Place>(sql`select key, lane, owner from jobs where ${isHeld(id, token)}`)
  if (!held) return undefined
  const changed = await db.run(sql`
    update jobs set state = 'waiting', stage = 'new', ticket = null, lease = null, lease_expires_at = null,
      run_at = ${runAt}, scheduled_at = ${now}, lane = ${lane}, attempts = ${attempts},
      interruptions = ${interruptions}, outages = ${outages}, last_error = ${error}
    where ${isHeld(id, token)}`)
  return changed === 1 ? held : undefined
}

function isHeld(id: number, token: string): Sql {
  return sql`id = ${id} and lease = ${token}`
}

/** Makes the waiting jobs of this key due now. */
export async function makeJobsDue(db: Db, key: string, now: string): Promise<void> {
  await db.run(sql`
    update jobs set run_at = ${now}, scheduled_at = ${now}, stage = 'new'
    where key = ${key} and state = 'waiting' and run_at > ${now}`)
}

/** Makes a failed or delayed job due now with all counters reset. Returns false when the job is neither. */
export async function retryJob(db: Db, id: number, now: string): Promise<boolean> {
  const found = await db.one<{ lane: string | null }>(sql`
    select lane from jobs
    where id = ${id} and (state = 'failed' or (state = 'waiting' and run_at > ${now})) ${db.dialect.forUpdate}`)
  if (!found) return false
  await db.run(sql`
    update jobs set state = 'waiting', stage = 'new', ticket = null, lane = ${found.lane && laneWithOthers(found.lane)},
      attempts = 0, interruptions = 0, outages = 0, run_at = ${now}, scheduled_at = ${now}, finished_at = null
    where id = ${id}`)
  return true
}

export async function findJob(db: Db, id: number): Promise<Job | undefined> {
  return db.one(sql`select ${jobColumns} from jobs where id = ${id}`)
}

/** Returns the job that was last queued under the key. */
export async function findNewestJob(db: Db, key: string): Promise<Job | undefined> {
  return db.one(sql`select ${jobColumns} from jobs where key = ${key} order by id desc limit 1`)
}

export interface JobFilter {
  states: readonly JobState[] | undefined
  kind: string | undefined
}

/** Returns jobs, newest first, one more than the page holds. */
export async function newestJobs(db: Db, filter: JobFilter, offset: number, perPage: number): Promise<Job[]> {
  return db.all(sql`
    select ${jobColumns} from jobs where ${matches(db, filter)}
    order by id desc limit ${perPage + 1} offset ${offset}`)
}

/** Counts jobs, up to `max` + 1. */
export async function countJobs(db: Db, filter: JobFilter, max: number): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from (select 1 from jobs where ${matches(db, filter)} limit ${max + 1}) as counted`)
  return row?.total ?? 0
}

function matches(db: Db, { states, kind }: JobFilter): Sql {
  return sql`true
    ${states ? sql`and state in ${db.dialect.texts(states)}` : empty}
    ${kind === undefined ? empty : sql`and kind = ${kind}`}`
}

/** Counts unfinished jobs by kind and state. */
export async function countOpenJobs(db: Db): Promise<JobCount[]> {
  return db.all(sql`
    select kind, state, count(*) as total from jobs where state in ('waiting', 'running', 'failed')
    group by kind, state order by kind, state`)
}

/** Returns the due time of the oldest waiting job of each kind. */
export async function listOldestDue(db: Db): Promise<{ kind: string; runAt: string }[]> {
  return db.all(sql`
    select kind, min(run_at) as run_at from jobs where state = 'waiting' group by kind order by kind`)
}

/** Deletes old jobs. Returns the number deleted. */
export async function deleteOldJobs(db: Db, state: JobState, before: string, limit: number): Promise<number> {
  return db.run(sql`
    delete from jobs where id in (
      select id from jobs where state = ${state} and finished_at <= ${before} order by finished_at limit ${limit})`)
}

export const jobColumns: Sql = sql`id, kind, key, payload, state, attempts, interruptions, outages, lane, owner, run_at, done, total, last_error,
  created_at, started_at, finished_at`
