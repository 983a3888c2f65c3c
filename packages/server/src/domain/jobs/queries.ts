import sql, { empty, type Sql } from 'sql-template-tag'
import type { Db } from '../../db/db.ts'
import type { JobCount } from '../../platform/metrics.ts'

export const jobStates = ['waiting', 'running', 'finished', 'failed'] as const
export type JobState = (typeof jobStates)[number]

/** Work that somebody left to be done later, by any process. */
export interface Job {
  id: number
  kind: string
  key: string | null
  payload: object
  state: JobState
  attempts: number
  runAt: string
  /** How far it is, in whatever it counts. */
  done: number | null
  total: number | null
  lastError: string | null
  createdAt: string
  startedAt: string | null
  finishedAt: string | null
}

export interface JobDraft {
  kind: string
  /** Of jobs with the same key one runs at a time, in the order they were queued. */
  key?: string
  payload: object
  runAt: string
  now: string
}

export async function insertJob(db: Db, { kind, key, payload, runAt, now }: JobDraft): Promise<number> {
  const row = await db.one<{ id: number }>(sql`
    insert into jobs (kind, key, payload, run_at, created_at)
    values (${kind}, ${key ?? null}, ${payload}, ${runAt}, ${now}) returning id`)
  if (!row) throw new Error('an inserted job returned no row')
  return row.id
}

/** The job of these kinds that has been due for longest, and that no other one with its key keeps from running. */
export async function findDueJob(db: Db, kinds: readonly string[], now: string): Promise<number | undefined> {
  const row = await db.one<{ id: number }>(sql`
    select id from jobs
    where kind in ${db.dialect.texts(kinds)} and ${isDue(now)}
      and not exists (
        select 1 from jobs other where other.key = jobs.key and other.id <> jobs.id
          and (other.state = 'running' or (other.state = 'waiting' and other.id < jobs.id)))
    order by run_at, id limit 1`)
  return row?.id
}

/** Waiting and due, or left behind by a process that does not renew its lease. */
function isDue(now: string): Sql {
  return sql`((state = 'waiting' and run_at <= ${now}) or (state = 'running' and lease_expires_at <= ${now}))`
}

export interface Lease {
  token: string
  expiresAt: string
}

/** `undefined` when another process was faster; a violation of `jobs_running_key` when it took another job of the key. */
export async function claimJob(db: Db, id: number, lease: Lease, now: string): Promise<Job | undefined> {
  const row = await db.one<JobRow>(sql`
    update jobs set state = 'running', attempts = attempts + 1, lease = ${lease.token},
      lease_expires_at = ${lease.expiresAt}, started_at = ${now}, done = null, total = null
    where id = ${id} and ${isDue(now)} returning ${columns}`)
  return row && jobFrom(row)
}

/** Those of the key that wait. */
export async function deleteWaitingJobs(db: Db, key: string): Promise<void> {
  await db.run(sql`delete from jobs where key = ${key} and state = 'waiting'`)
}

/** False when the job is somebody else's by now, or gone. */
export async function renewLease(db: Db, id: number, lease: Lease): Promise<boolean> {
  const changed = await db.run(sql`
    update jobs set lease_expires_at = ${lease.expiresAt} where ${isHeld(id, lease.token)}`)
  return changed === 1
}

export async function updateProgress(db: Db, id: number, token: string, done: number, total: number): Promise<void> {
  await db.run(sql`update jobs set done = ${done}, total = ${total} where ${isHeld(id, token)}`)
}

export async function finishJob(db: Db, id: number, token: string, now: string): Promise<void> {
  await db.run(sql`
    update jobs set state = 'finished', lease = null, lease_expires_at = null, last_error = null, finished_at = ${now}
    where ${isHeld(id, token)}`)
}

export async function deleteHeldJob(db: Db, id: number, token: string): Promise<void> {
  await db.run(sql`delete from jobs where ${isHeld(id, token)}`)
}

/** False when it was somebody else's. */
export async function failJob(db: Db, id: number, token: string, error: string, now: string): Promise<boolean> {
  const changed = await db.run(sql`
    update jobs set state = 'failed', lease = null, lease_expires_at = null, last_error = ${error}, finished_at = ${now}
    where ${isHeld(id, token)}`)
  return changed === 1
}

export interface Postponement {
  runAt: string
  attempts: number
  error: string | null
}

/** Puts the job back among those that wait. */
export async function postponeJob(
  db: Db,
  id: number,
  token: string,
  { runAt, attempts, error }: Postponement,
): Promise<void> {
  await db.run(sql`
    update jobs set state = 'waiting', lease = null, lease_expires_at = null, run_at = ${runAt},
      attempts = ${attempts}, last_error = ${error}
    where ${isHeld(id, token)}`)
}

function isHeld(id: number, token: string): Sql {
  return sql`id = ${id} and state = 'running' and lease = ${token}`
}

/** Where there is only one process, whatever runs at its start was left behind by the one before. */
export async function endAllLeases(db: Db, now: string): Promise<void> {
  await db.run(sql`update jobs set lease_expires_at = ${now} where state = 'running'`)
}

/** Lets what waits for this key run now. */
export async function hurryJobs(db: Db, key: string, now: string): Promise<void> {
  await db.run(sql`update jobs set run_at = ${now} where key = ${key} and state = 'waiting' and run_at > ${now}`)
}

/** True when there was a failed one, or one that waits for its next attempt. */
export async function retryJob(db: Db, id: number, now: string): Promise<boolean> {
  const changed = await db.run(sql`
    update jobs set state = 'waiting', attempts = 0, run_at = ${now}, finished_at = null
    where id = ${id} and (state = 'failed' or (state = 'waiting' and run_at > ${now}))`)
  return changed === 1
}

export async function findJob(db: Db, id: number): Promise<Job | undefined> {
  const row = await db.one<JobRow>(sql`select ${columns} from jobs where id = ${id}`)
  return row && jobFrom(row)
}

/** The last one that was queued under the key. */
export async function findNewestJob(db: Db, key: string): Promise<Job | undefined> {
  const row = await db.one<JobRow>(sql`select ${columns} from jobs where key = ${key} order by id desc limit 1`)
  return row && jobFrom(row)
}

export interface JobFilter {
  states: readonly JobState[] | undefined
  kind: string | undefined
}

/** Newest first, one more than asked for. */
export async function newestJobs(db: Db, filter: JobFilter, offset: number, perPage: number): Promise<Job[]> {
  const rows = await db.all<JobRow>(sql`
    select ${columns} from jobs where ${matches(db, filter)}
    order by id desc limit ${perPage + 1} offset ${offset}`)
  return rows.map(jobFrom)
}

/** Stops counting above the most. */
export async function countJobs(db: Db, filter: JobFilter, most: number): Promise<number> {
  const row = await db.one<{ total: number }>(sql`
    select count(*) as total from (select 1 from jobs where ${matches(db, filter)} limit ${most + 1}) as counted`)
  return row?.total ?? 0
}

function matches(db: Db, { states, kind }: JobFilter): Sql {
  return sql`true
    ${states ? sql`and state in ${db.dialect.texts(states)}` : empty}
    ${kind === undefined ? empty : sql`and kind = ${kind}`}`
}

/** Of those that are not finished. */
export async function countOpenJobs(db: Db): Promise<JobCount[]> {
  return db.all(sql`
    select kind, state, count(*) as total from jobs where state in ('waiting', 'running', 'failed')
    group by kind, state order by kind, state`)
}

/** How many rows went. */
export async function deleteOldJobs(db: Db, state: JobState, before: string, limit: number): Promise<number> {
  return db.run(sql`
    delete from jobs where id in (
      select id from jobs where state = ${state} and finished_at <= ${before} order by finished_at limit ${limit})`)
}

interface JobRow {
  id: number
  kind: string
  key: string | null
  payload: object
  state: JobState
  attempts: number
  run_at: string
  done: number | null
  total: number | null
  last_error: string | null
  created_at: string
  started_at: string | null
  finished_at: string | null
}

const columns: Sql = sql`id, kind, key, payload, state, attempts, run_at, done, total, last_error,
  created_at, started_at, finished_at`

function jobFrom(row: JobRow): Job {
  return {
    id: row.id,
    kind: row.kind,
    key: row.key,
    payload: row.payload,
    state: row.state,
    attempts: row.attempts,
    runAt: row.run_at,
    done: row.done,
    total: row.total,
    lastError: row.last_error,
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
  }
}
