import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '../../platform/failure.ts'
import { type Deps, type RootDeps, transaction } from '../deps.ts'
import { backOffMs, later, outageBackOffMs } from './back-off.ts'
import { releaseSuccessors } from './claim-queries.ts'
import { type Claimed, endRun } from './dispatch.ts'
import type { RunningJob } from './job.ts'
import { deleteHeldJob, failJob, finishJob, type Postponement, postponeJob, updateProgress } from './job-queries.ts'
import { laneWithOthers } from './lanes.ts'
import type { Leases } from './leases.ts'

const progressEveryMs = 500
const recordAgainMs = 1_000

/** Runs a claimed job and records the outcome. */
export async function runJob(
  deps: RootDeps,
  { job, kind, token }: Claimed,
  leases: Leases,
  stopping: AbortSignal,
): Promise<void> {
  const lease = leases.hold(token)
  const lane = job.lane ?? job.kind
  const running: RunningJob<object> = {
    id: job.id,
    payload: job.payload,
    attempt: job.attempts,
    lane: laneWithOthers(lane),
    signal: AbortSignal.any([stopping, lease.lost]),
    progress: openProgress(),
    forget: async (deps) => {
      const place = await deleteHeldJob(deps.db, job.id, token)
      if (place) await releaseSuccessors(deps.db, place)
    },
  }
  try {
    const end = await outcomeOf()
    await untilAvailable(end)
  } finally {
    lease.release()
  }

  /** Runs the job. Returns the function that records the outcome. */
  async function outcomeOf(): Promise<() => Promise<unknown>> {
    try {
      const again = await kind.run(deps, running as RunningJob<never>) // queued under the kind's name
      if (again) return () => postpone({ runAt: again.againAt, lane: again.lane ?? laneWithOthers(lane) })
      if (kind.coalesces) return () => end((deps) => deleteHeldJob(deps.db, job.id, token))
      return () => end((deps) => finishJob(deps.db, job.id, token, deps.now()))
    } catch (error) {
      const { attempts, interruptions, outages } = job
      if (stopping.aborted) return () => postpone({ ...job, attempts: attempts - 1, error: job.lastError, lane })
      if (isOutage(error)) {
        deps.log.warn({ err: error, job: job.id, kind: job.kind, outages: outages + 1 }, 'a job waits for a dependency')
        const runAt = later(deps, outageBackOffMs(deps, outages + 1))
        const error2 = describe(error)
        return () =>
          postpone({ runAt, lane, attempts: attempts - 1, interruptions, outages: outages + 1, error: error2 })
      }
      deps.log.warn({ err: error, job: job.id, kind: job.kind, attempt: attempts }, 'job failed')
      const text = describe(error)
      if (attempts >= kind.maxAttempts) return () => giveUp(text)
      const runAt = later(deps, backOffMs(deps, attempts))
      return () => postpone({ runAt, lane, attempts, interruptions, error: text })
    }
  }

  function end(change: (deps: Deps) => ReturnType<typeof finishJob>): Promise<boolean> {
    return transaction(deps, (deps) => endRun(deps, () => change(deps)))
  }

  function postpone(postponement: Partial<Postponement>): Promise<boolean> {
    const now = deps.now()
    const whole = { attempts: 0, interruptions: 0, outages: 0, error: null, lane: null, ...postponement, now }
    return end((deps) => postponeJob(deps.db, job.id, token, { ...whole, runAt: postponement.runAt ?? now }))
  }

  function giveUp(error: string): Promise<void> {
    return transaction(deps, async (deps) => {
      const place = await failJob(deps.db, job.id, token, error, deps.now())
      if (!place) return
      await kind.giveUp?.(deps, job.payload as never, error) // queued under the kind's name
      await releaseSuccessors(deps.db, place)
    })
  }

  /**
   * Retries until the database is available. A job whose end is not recorded would count as interrupted and run again.
   */
  async function untilAvailable(record: () => Promise<unknown>): Promise<void> {
    for (;;) {
      try {
        await record()
        return
      } catch (error) {
        if (!isOutage(error) || running.signal.aborted) throw error
      }
      await sleep(recordAgainMs, undefined, { signal: running.signal }).catch(() => {})
    }
  }

  /** Throttles writes of progress, because every write notifies all processes. The final progress is always written. */
  function openProgress(): RunningJob<never>['progress'] {
    let writtenAt = 0
    return async (done, total) => {
      if (done < total && performance.now() - writtenAt < progressEveryMs) return
      writtenAt = performance.now()
      await updateProgress(deps.db, job.id, token, done, total)
    }
  }
}

const isOutage = (error: unknown): boolean => error instanceof Failure && error.cause.kind === 'unavailable'

const maxErrorCharacters = 500

function describe(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, maxErrorCharacters)
}
