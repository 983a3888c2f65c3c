import type { Deps, RootDeps } from '../deps.ts'
import { insertJob } from './job-queries.ts'
import type { Lane } from './lanes.ts'

/**
 * What a kind of job does. It runs at least once, and may run again from the beginning: after an error, after a kill, or
 * because its process was silent for so long that another one took over. What it writes must bear that.
 */
export interface JobKind<Payload extends object> {
  kind: string
  /** How many run at the same time in one process. */
  concurrency: number
  /** How many of one owner run at the same time in all processes. */
  perOwner?: number
  /** Further lanes: a job in one of them does not wait for places of the others. */
  lanes?: Readonly<Record<string, Lane>>
  /**
   * After so many errors it has failed. Neither a run that ended with its process nor one that met an unavailable
   * dependency counts.
   */
  mostAttempts: number
  /**
   * One run does what all waiting jobs of its key ask for: they are dropped when it begins, and it leaves no trace when
   * it is done.
   */
  absorbs?: boolean
  /** Resolves to nothing when the job is done, or to the time at which it is to go on. */
  run(deps: RootDeps, job: RunningJob<Payload>): Promise<Postponed | undefined>
  /** After a run that ended with its process, in the transaction that puts the job back. */
  interrupted?(deps: Deps, payload: Payload, interruptions: number): Promise<void>
  /** After the last attempt, in the transaction that marks the job as failed. */
  giveUp?(deps: Deps, payload: Payload, error: string): Promise<void>
}

export interface Postponed {
  againAt: string
  /** Absent: the same. */
  lane?: string
}

export interface RunningJob<Payload extends object> {
  id: number
  payload: Payload
  /** 1 the first time. */
  attempt: number
  /** The lane in which it runs. */
  lane: string
  /** Aborted when the process stops, or when another one has taken the job over. Long runs watch it. */
  signal: AbortSignal
  /** Records progress; may be called at any rate. */
  progress(done: number, total: number): Promise<void>
  /** Deletes the job in the caller's transaction. It runs on until `run` ends. */
  forget(deps: Deps): Promise<void>
}

/** A kind with its payload forgotten, as the runner holds it. */
export type AnyJobKind = JobKind<never>

export function jobKind<Payload extends object>(kind: JobKind<Payload>): AnyJobKind {
  return kind as unknown as AnyJobKind // its payload is what was queued under its name
}

export interface QueuedJob {
  kind: string
  /** Jobs with the same key run one at a time, in the order in which they were queued. */
  key?: string
  /** One of the kind's lanes; absent: the one that has the kind's name. */
  lane?: string
  /** Owners of jobs take turns in a lane, however many jobs each has. Absent: the job waits for no other one. */
  owner?: string
  payload: object
  /** Not before this time; absent: now. */
  runAt?: string
}

/**
 * Leaves work to be done when the transaction has committed, by whichever process is free; returns the job's id. Inside
 * a transaction the work is queued if and only if it commits.
 */
export function enqueue({ db, now }: Pick<Deps, 'db' | 'now'>, job: QueuedJob): Promise<number> {
  const time = now()
  return insertJob(db, { ...job, runAt: job.runAt ?? time, now: time })
}
