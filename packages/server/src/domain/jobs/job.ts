import type { Deps, RootDeps } from '../deps.ts'
import { insertJob } from './queries.ts'

/**
 * What a kind of job does. It runs at least once, and may be run again from the beginning: after an error, after a kill,
 * or because the process was silent for so long that another one took over. What it writes must bear that.
 */
export interface JobKind<Payload extends object> {
  kind: string
  /** How many run at the same time in one process. */
  concurrency: number
  /** Then it has failed, and waits for somebody to look at it. */
  mostAttempts: number
  /**
   * One run does what all waiting jobs of its key ask for: they are dropped when it begins, and it leaves no trace when
   * it is done.
   */
  absorbs?: boolean
  /** Resolves to nothing when the job is done, or to the time at which it is to go on. */
  run(deps: RootDeps, job: RunningJob<Payload>): Promise<Postponed | undefined>
  /** After the last attempt, in the transaction that marks the job as failed. */
  giveUp?(deps: Deps, payload: Payload, error: string): Promise<void>
}

export interface Postponed {
  againAt: string
}

export interface RunningJob<Payload extends object> {
  id: number
  payload: Payload
  /** 1 the first time. */
  attempt: number
  /** Aborted when the process stops, or when the job is somebody else's by now. Whoever works long looks at it. */
  signal: AbortSignal
  /** Tells how far it is; as often as one likes. */
  progress(done: number, total: number): Promise<void>
  /** Leaves no trace of the job, in the caller's transaction. It runs on until `run` ends. */
  forget(deps: Deps): Promise<void>
}

/** A kind with its payload forgotten, as the runner holds it. */
export type AnyJobKind = JobKind<never>

export function jobKind<Payload extends object>(kind: JobKind<Payload>): AnyJobKind {
  return kind as unknown as AnyJobKind // its payload is what was queued under its name
}

export interface QueuedJob {
  kind: string
  /** Of jobs with the same key one runs at a time, in the order they were queued. */
  key?: string
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
