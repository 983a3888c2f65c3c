import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '../../platform/failure.ts'
import { inTrace, SpanKind, traceFields } from '../../platform/tracing.ts'
import { type RootDeps, transaction } from '../deps.ts'
import { backOffMs, later, outageBackOffMs } from './back-off.ts'
import { releaseSuccessors } from './claim-queries.ts'
import { type Claimed, endRun } from './dispatch.ts'
import type { RunningJob, TracedPayload } from './job.ts'
import { deleteHeldJob, failJob, finishJob, type Postponement, postponeJob, updateProgress } from './job-queries.ts'
import { laneWithOthers } from './lanes.ts'
import type { Leases } from './leases.ts'

const progressIntervalMs = 500
const recordAgainMs = 1_000

/** Runs a claimed job and records the outcome. */
export async function runJob(deps: RootDeps, claimed: Claimed, leases: Leases, stopping: AbortSignal): Promise<void> {
  const { job, token } = claimed
  const lease = leases.hold(token)
  const running: RunningJob<object> = {
    id: job.id,
    payload: job.payload,
    attempt: job.attempts,
    lane: laneWithOthers(laneOf(claimed)),
    signal: AbortSignal.any([stopping, lease.lost]),
    progress: throttledProgress(deps, claimed),
    forget: async (deps) => {
      const place = await deleteHeldJob(deps.db, job.id, token)
      if (place) await releaseSuccessors(deps.db, place)
    },
  }
  try {
    const outcome = await tracedOutcomeOf(deps, claimed, running, stopping)
    await retryUntilAvailable(() => recordOutcome(deps, claimed, outcome), running.signal)
  } finally {
    lease.release()
  }
}

type Outcome =
  | { kind: 'finished' }
  | { kind: 'failed'; error: string }
  | { kind: 'postponed'; to: Partial<Postponement> }

/** Runs the job as a part of the trace of the request that queued it. */
function tracedOutcomeOf(
  deps: RootDeps,
  claimed: Claimed,
  running: RunningJob<object>,
  stopping: AbortSignal,
): Promise<Outcome> {
  const { traceparent, ...payload }: TracedPayload = running.payload
  const start = {
    name: `job ${claimed.kind.kind}`,
    kind: SpanKind.CONSUMER,
    attributes: { 'alcove.job.id': running.id },
  }
  return inTrace(start, traceparent, (trace) => {
    const traced = { ...deps, trace, log: deps.log.child(traceFields(trace)) }
    return outcomeOf(traced, claimed, { ...running, payload }, stopping)
  })
}

async function outcomeOf(
  deps: RootDeps,
  claimed: Claimed,
  running: RunningJob<object>,
  stopping: AbortSignal,
): Promise<Outcome> {
  const { job, kind } = claimed
  const lane = laneOf(claimed)
  try {
    const again = await kind.run(deps, running)
    if (!again) return { kind: 'finished' }
    return { kind: 'postponed', to: { runAt: again.againAt, lane: again.lane ?? laneWithOthers(lane) } }
  } catch (cause) {
    const { attempts, interruptions, outages } = job
    if (stopping.aborted) {
      return { kind: 'postponed', to: { ...job, attempts: attempts - 1, error: job.lastError, lane } }
    }
    const error = describe(cause)
    if (isOutage(cause)) {
      const counts = { attempts: attempts - 1, interruptions, outages: outages + 1 }
      deps.log.warn({ err: cause, job: job.id, kind: job.kind, outages: outages + 1 }, 'a job waits for a dependency')
      const runAt = later(deps, outageBackOffMs(deps, outages + 1))
      return { kind: 'postponed', to: { ...counts, runAt, lane, error } }
    }
    deps.log.warn({ err: cause, job: job.id, kind: job.kind, attempt: attempts }, 'job failed')
    if (attempts >= kind.maxAttempts) return { kind: 'failed', error }
    const runAt = later(deps, backOffMs(deps, attempts))
    return { kind: 'postponed', to: { runAt, lane, attempts, interruptions, error } }
  }
}

function recordOutcome(deps: RootDeps, { job, kind, token }: Claimed, outcome: Outcome): Promise<unknown> {
  return transaction(deps, async (deps) => {
    const now = deps.now()
    switch (outcome.kind) {
      case 'finished':
        return endRun(deps, () =>
          kind.coalesces ? deleteHeldJob(deps.db, job.id, token) : finishJob(deps.db, job.id, token, now),
        )
      case 'failed': {
        const place = await failJob(deps.db, { id: job.id, token, error: outcome.error, now })
        if (!place) return false
        await kind.giveUp?.(deps, job.payload, outcome.error)
        return releaseSuccessors(deps.db, place)
      }
      case 'postponed': {
        const standard = { runAt: now, attempts: 0, interruptions: 0, outages: 0, error: null, lane: null }
        return endRun(deps, () => postponeJob(deps.db, job.id, token, { ...standard, ...outcome.to, now }))
      }
    }
  })
}

/** Retries until the database is available. A job whose end is not recorded would count as interrupted and run again. */
async function retryUntilAvailable(record: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
  for (;;) {
    try {
      await record()
      return
    } catch (error) {
      if (!isOutage(error) || signal.aborted) throw error
    }
    await sleep(recordAgainMs, undefined, { signal }).catch(() => {})
  }
}

/** Throttles writes of progress, because every write notifies all processes. The final progress is always written. */
function throttledProgress({ db }: RootDeps, { job, token }: Claimed): RunningJob<object>['progress'] {
  let writtenAt = 0
  return async (done, total) => {
    if (done < total && performance.now() - writtenAt < progressIntervalMs) return
    writtenAt = performance.now()
    await updateProgress(db, { id: job.id, token, done, total })
  }
}

const laneOf = ({ job }: Claimed): string => job.lane ?? job.kind

const isOutage = (error: unknown): boolean => error instanceof Failure && error.cause.kind === 'unavailable'

const maxErrorCharacters = 500

function describe(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, maxErrorCharacters)
}
