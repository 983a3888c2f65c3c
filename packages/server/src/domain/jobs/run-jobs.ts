import type { RootDeps } from '../deps.ts'
import { endAllLeases, listReadyLanes } from './claim-queries.ts'
import { type Claimed, dispatch, lanesOf } from './dispatch.ts'
import type { AnyJobKind } from './job.ts'
import { isAlone, laneAlone, laneWithOthers } from './lanes.ts'
import { openLeases } from './leases.ts'
import { runJob } from './run-job.ts'

/** Interval for retries that are due and for lost notifications. */
const pollIntervalMs = 2_000
const patienceMs = 8_000

export interface JobRunner {
  /** Waits until no job runs in this process and none of its kinds is due. */
  idle(): Promise<void>
  /** Waits a limited time for running jobs to end or to be returned to the queue. */
  stop(): Promise<void>
}

/** Runs jobs of these kinds as soon as any process queues one or one is due. */
export function runJobs(deps: RootDeps, kinds: readonly AnyJobKind[]): JobRunner {
  const stopping = new AbortController()
  const leases = openLeases(deps)
  /** Lane of each running job. */
  const running = new Map<Promise<void>, string>()
  let looking: Promise<void> | undefined
  let lookAgain = false

  const unwatch = deps.db.changes.watch('jobs', look)
  const timer = setInterval(look, pollIntervalMs).unref()
  if (deps.db.dialect.engine === 'sqlite') looking = takeBackAll().finally(lookOn)
  else look()

  return {
    async idle() {
      while (looking || running.size > 0) await Promise.allSettled([looking, ...running.keys()])
    },

    async stop() {
      clearInterval(timer)
      unwatch()
      stopping.abort(new Error('the process stops'))
      const patience = new Promise<void>((resolve) => setTimeout(resolve, patienceMs).unref())
      await Promise.race([Promise.allSettled([looking, ...running.keys()]), patience])
      leases.close()
    },
  }

  function look(): void {
    lookAgain = true
    looking ??= takeWhatIsDue().finally(lookOn)
  }

  function lookOn(): void {
    looking = undefined
    if (lookAgain && !stopping.signal.aborted) look()
  }

  async function takeBackAll(): Promise<void> {
    await endAllLeases(deps.db).catch(logFailure)
    lookAgain = true
  }

  async function takeWhatIsDue(): Promise<void> {
    lookAgain = false
    while (!stopping.signal.aborted) {
      const free = freeCapacity(kinds, [...running.values()])
      const found = await dispatch(deps, kinds, { free, isAbandoned: leases.isAbandoned }).catch(logFailure)
      for (const claimed of found?.claimed ?? []) start(claimed)
      if (!found || (found.isDone && found.claimed.length === 0)) return
    }
  }

  function start(claimed: Claimed): void {
    const run = runJob(deps, claimed, leases, stopping.signal)
      .catch(logFailure)
      .finally(() => {
        running.delete(run)
        look()
      })
    running.set(run, claimed.job.lane ?? claimed.job.kind)
  }

  function logFailure(error: unknown): undefined {
    deps.log.error({ err: error }, 'the queue of jobs has trouble')
  }
}

/** Runs all due jobs one after the other. Returns the number of jobs that ran. */
export async function runDueJobs(deps: RootDeps, kinds: readonly AnyJobKind[]): Promise<number> {
  const leases = openLeases(deps, 0)
  try {
    for (let ran = 0; ; ) {
      const claimed = await claimOne(deps, kinds, leases.isAbandoned)
      if (!claimed) return ran
      await runJob(deps, claimed, leases, new AbortController().signal)
      ran++
    }
  } finally {
    leases.close()
  }
}

/** Claims a job of any lane. Lanes of jobs that run alone come last. */
async function claimOne(
  deps: RootDeps,
  kinds: readonly AnyJobKind[],
  isAbandoned: ReturnType<typeof openLeases>['isAbandoned'],
): Promise<Claimed | undefined> {
  // Places the new jobs of all lanes.
  for (let isDone = false; !isDone; ) ({ isDone } = await dispatch(deps, kinds, { free: new Map(), isAbandoned }))
  const names = [...lanesOf(kinds).keys()]
  const lanes = [...names, ...names.map(laneAlone)]
  const ready = new Set(await listReadyLanes(deps.db, lanes))
  for (const lane of lanes.filter((lane) => ready.has(lane))) {
    const found = await dispatch(deps, kinds, { free: new Map([[lane, 1]]), isAbandoned })
    if (found.claimed[0]) return found.claimed[0]
  }
  return undefined
}

/** Returns the number of free places by lane beside the running jobs. A job that runs alone blocks its lane. */
export function freeCapacity(kinds: readonly AnyJobKind[], running: readonly string[]): Map<string, number> {
  const free = new Map<string, number>()
  for (const [lane, { concurrency }] of lanesOf(kinds)) {
    const inLane = running.filter((name) => laneWithOthers(name) === lane)
    const places = inLane.some(isAlone) ? 0 : concurrency - inLane.length
    free.set(lane, places)
    free.set(laneAlone(lane), inLane.length === 0 ? 1 : 0)
  }
  return free
}
