import { traceparentOf } from '../../platform/tracing.ts'
import type { Deps, RootDeps } from '../deps.ts'
import { insertJob } from './job-queries.ts'
import type { Lane } from './lanes.ts'

/**
 * Definition of a kind of job. A job runs at least once and may run again from the beginning: after an error, after a
 * crash, or when its process missed its lease and another process took over. Its writes must be idempotent.
 */
export interface JobKind<Payload extends object> {
  kind: string
  /** Maximum number of concurrent runs in one process. */
  concurrency: number
  /** Maximum number of concurrent runs for one owner in all processes. */
  perOwner?: number
  /** Additional lanes. Jobs in a lane do not wait for those in other lanes. */
  lanes?: Readonly<Record<string, Lane>>
  /** Number of errors after which the job fails. Interrupted runs and outages of a dependency do not count. */
  maxAttempts: number
  /** Whether one run covers all waiting jobs of its key. They are deleted when it begins, its own row at its end. */
  coalesces?: boolean
  /** Runs the job. Resolves to `undefined` when the job is done, or to the time at which it continues. */
  run(deps: RootDeps, job: RunningJob<Payload>): Promise<Postponed | undefined>
  /** Called after a run was interrupted, in the transaction that returns the job to the queue. */
  interrupted?(deps: Deps, payload: Payload, interruptions: number): Promise<void>
  /** Called after the last attempt, in the transaction that marks the job as failed. */
  giveUp?(deps: Deps, payload: Payload, error: string): Promise<void>
}

export interface Postponed {
  againAt: string
  /** Defaults to the current lane. */
  lane?: string
}

export interface RunningJob<Payload extends object> {
  id: number
  payload: Payload
  /** Number of this attempt, starting at 1. */
  attempt: number
  /** Lane in which the job runs. */
  lane: string
  /** Aborted when the process stops or another process has taken the job over. Long runs must check it. */
  signal: AbortSignal
  /** Records progress. Writes are throttled. */
  progress(done: number, total: number): Promise<void>
  /** Deletes the job in the caller's transaction. The run continues until `run` ends. */
  forget(deps: Deps): Promise<void>
}

/** Kind of job with an erased payload type, as used by the runner. Its jobs are queued with the payload of their kind. */
export type AnyJobKind = JobKind<object>

export function jobKind<Payload extends object>(kind: JobKind<Payload>): AnyJobKind {
  return kind
}

export interface QueuedJob {
  kind: string
  /** Jobs with the same key run one at a time, in the order in which they were queued. */
  key?: string
  /** One of the kind's lanes; defaults to the lane named after the kind. */
  lane?: string
  /**
   * Owners take turns in a lane, however many jobs each of them has. Jobs without an owner do not take part in turns.
   */
  owner?: string
  payload: object
  /** Earliest start; defaults to now. */
  runAt?: string
}

/** Stored payload of a job, with the trace of the request that queued it. */
export interface TracedPayload {
  traceparent?: string
}

/**
 * Queues a job and returns its id. Any process may run it once the transaction has committed; if the transaction is
 * rolled back, the job is not queued.
 */
export function enqueue({ db, now, trace }: Pick<Deps, 'db' | 'now' | 'trace'>, job: QueuedJob): Promise<number> {
  const time = now()
  const payload: TracedPayload = trace ? { ...job.payload, traceparent: traceparentOf(trace) } : job.payload
  return insertJob(db, { ...job, payload, runAt: job.runAt ?? time, now: time })
}
